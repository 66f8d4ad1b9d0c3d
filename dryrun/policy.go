package dryrun

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
)

// Policy is an admission policy in a file.
type Policy struct {
	pos    diag.Position
	server *apiserver.Policy
}

// name returns the name of the policy. It is empty for a literal.
func (p *Policy) name() string {
	if p.server == nil {
		return ""
	}
	return p.server.Name
}

// policyKind and policyPrefix identify the policies that schemagen unions writes.
const (
	policyKind   = "MutatingAdmissionPolicy"
	policyPrefix = "unions."
)

// ReadPolicies reads the admission policies of a file that schemagen unions has written.
// Other objects are skipped. It is an error if a server would reject such a policy, or if it was
// changed in a way that cannot be tried.
func ReadPolicies(file crd.File) ([]*Policy, diag.List) {
	if !bytes.Contains(file.Data, []byte(policyKind)) {
		return nil, nil
	}
	objects, findings := ReadObjects(file)
	var out []*Policy
	for _, o := range objects {
		if o.Kind != policyKind || !strings.HasPrefix(o.Name, policyPrefix) {
			continue
		}
		policy, err := o.policy()
		if err != nil {
			findings = append(findings, cleared.At(o.Pos, "write it again with schemagen unions", "%v", err).As(diag.Error))
			continue
		}
		out = append(out, &Policy{o.Pos, policy})
	}
	return out, findings
}

// policy compiles an object that is a policy.
func (o *Object) policy() (*apiserver.Policy, error) {
	text, err := json.Marshal(o.Value)
	if err != nil {
		return nil, err
	}
	var policy admissionregistrationv1.MutatingAdmissionPolicy
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&policy); err != nil {
		return nil, fmt.Errorf("the policy %s cannot be read: %w", o.Name, err)
	}
	return apiserver.NewPolicy(&policy)
}

// policies are what a trial follows: of each name, the first one.
type policies []*Policy

// FollowPolicies makes the trial change objects in updates as a server does that has the policies.
// If two have the same name, the first one is used. Without policies, a server clears no union
// members. It must be called before the first object is tried.
func (t *Trial) FollowPolicies(all ...*Policy) {
	t.policies = nil
	known := map[string]bool{}
	for _, p := range all {
		if p == nil || p.server == nil {
			t.invalid = errors.Join(t.invalid, errors.New("policies come from ReadPolicies"))
			continue
		}
		if !known[p.name()] {
			known[p.name()] = true
			t.policies = append(t.policies, p)
		}
	}
}

// servers returns the policies for the server.
func (ps policies) servers() []*apiserver.Policy {
	var out []*apiserver.Policy
	for _, p := range ps {
		out = append(out, p.server)
	}
	return out
}

// related returns the position of a policy.
func (ps policies) related(policy *apiserver.Policy) []diag.Related {
	for _, p := range ps {
		if p.server == policy {
			return []diag.Related{{Pos: p.pos, Message: "the policy"}}
		}
	}
	return nil
}

// follow makes the servers of a kind change objects as the policies do that there are when the
// server is prepared.
func (k *Kind) follow(all *policies) {
	k.policies = all
	with := func(prepare func() (*apiserver.Kind, error)) func() (*apiserver.Kind, error) {
		return sync.OnceValues(func() (*apiserver.Kind, error) {
			server, err := prepare()
			if err != nil || len(*all) == 0 {
				return server, err
			}
			return server.WithPolicies(all.servers()...), nil
		})
	}
	k.server = with(k.server)
	k.proposal = with(k.proposal)
}
