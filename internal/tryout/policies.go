package tryout

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/unions/uniongen"
)

// Policies finds the admission policies for unions that a server has.
type Policies struct {
	// Named are files and directories that the user names. It is an error if they have none.
	Named []string
	// Configured are the directories to which schemagen unions writes policies.
	Configured []string
	// Keep, if not nil, is called with what is read.
	Keep  func(file crd.File)
	Stdin io.Reader
}

// Read returns the policies in the named files, in the files of the definitions, beside these, and
// in the configured directories. Only the files that schemagen unions writes for one of
// the definitions are read there.
func (p *Policies) Read(all []*crd.Definition) ([]*dryrun.Policy, diag.List, error) {
	out, findings, err := p.named()
	if err != nil {
		return nil, nil, err
	}
	tried := map[string]bool{}
	add := func(source definitions.Source) error {
		if tried[source.Name] {
			return nil
		}
		tried[source.Name] = true
		policies, found, err := p.read(source)
		out = append(out, policies...)
		findings = append(findings, found...)
		return err
	}
	for _, d := range all {
		object := d.CRD
		if object == nil {
			object = d.Provenance().Header
		}
		name := object.Spec.Group + "_" + object.Spec.Names.Plural + uniongen.PolicySuffix
		dirs := p.Configured
		pos, _ := d.Position("metadata.name")
		if d.Provenance().BuildWith == nil && pos.File != "" && pos.File != "-" {
			if err := add(definitions.Source{Name: pos.File}); err != nil {
				return nil, nil, err
			}
			dirs = append([]string{filepath.Dir(pos.File)}, dirs...)
		}
		for _, dir := range dirs {
			source := definitions.Source{Name: filepath.Join(dir, name)}
			if !source.Exists() {
				continue
			}
			if err := add(source); err != nil {
				return nil, nil, err
			}
		}
	}
	return out, findings, nil
}

// named reads the files that the user names.
func (p *Policies) named() (out []*dryrun.Policy, findings diag.List, err error) {
	if len(p.Named) == 0 {
		return nil, nil, nil
	}
	sources, err := definitions.FindObjects("--policy", p.Named)
	if err != nil {
		return nil, nil, err
	}
	for _, source := range sources {
		policies, found, err := p.read(source)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, policies...)
		findings = append(findings, found...)
	}
	if len(out) == 0 && !findings.HasErrors() {
		return nil, nil, fmt.Errorf("%s: no admission policy that schemagen unions writes", strings.Join(p.Named, ", "))
	}
	return out, findings, nil
}

// read reads the policies of a file.
func (p *Policies) read(source definitions.Source) ([]*dryrun.Policy, diag.List, error) {
	data, err := source.Read(p.Stdin)
	if err != nil {
		return nil, nil, err
	}
	file := crd.File{Name: source.Name, Data: data}
	policies, findings := dryrun.ReadPolicies(file)
	if p.Keep != nil && len(policies)+len(findings) > 0 {
		p.Keep(file)
	}
	return policies, findings, nil
}
