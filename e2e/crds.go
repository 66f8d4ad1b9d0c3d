package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/yaml"
)

// CRD is a manifest with a single definition.
type CRD struct {
	// From is the source of the manifest, for messages.
	From string
	// Name and Group are the name and group of the definition.
	Name, Group string
	Data        []byte
	// Repeats is set if schemagen warns that the server cannot apply the definition (SG622).
	Repeats bool
}

// NewCRD returns a CRD with the name and group read from data.
func NewCRD(from string, data []byte) (CRD, error) {
	var head struct {
		Metadata struct{ Name string }
		Spec     struct{ Group string }
	}
	if err := yaml.Unmarshal(data, &head); err != nil {
		return CRD{}, fmt.Errorf("%s: %w", from, err)
	}
	return CRD{From: from, Name: head.Metadata.Name, Group: head.Spec.Group, Data: data}, nil
}

// CaseCRDs returns the expected definitions of the cases in testdata/crd. rejected are those
// of cases about bytes that a server need not accept.
func CaseCRDs(root string) (wanted, rejected []CRD, err error) {
	files, err := filepath.Glob(filepath.Join(root, "testdata", "crd", "*.txtar"))
	if err != nil || len(files) == 0 {
		return nil, nil, fmt.Errorf("no cases in %s: %w", root, err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			return nil, nil, err
		}
		doubtful, repeats := slices.Contains(strings.Split(string(archive.Comment), "\n"), "verify: no"), false
		for _, f := range archive.Files {
			if f.Name == "want/diagnostics" {
				doubtful = doubtful || bytes.Contains(f.Data, []byte(": error["))
				repeats = bytes.Contains(f.Data, []byte("[SG622]"))
			}
		}
		for _, f := range archive.Files {
			if !strings.HasPrefix(f.Name, "want/") || !strings.HasSuffix(f.Name, ".yaml") {
				continue
			}
			crd, err := NewCRD(filepath.Base(file)+": "+f.Name, f.Data)
			if err != nil {
				return nil, nil, err
			}
			crd.Repeats = repeats
			if doubtful {
				rejected = append(rejected, crd)
			} else {
				wanted = append(wanted, crd)
			}
		}
	}
	return wanted, rejected, nil
}

var (
	metadataLine    = regexp.MustCompile(`(?m)^metadata:\n`)
	annotationsLine = regexp.MustCompile(`(?m)^  annotations:\n`)
)

const approval = "api-approved.kubernetes.io"

// Approved returns the manifest with the annotation required for protected groups of
// Kubernetes. The text is edited, so that the generator's own bytes are sent to the server.
func (c CRD) Approved() []byte {
	protected := strings.HasSuffix(c.Group, ".k8s.io") || strings.HasSuffix(c.Group, ".kubernetes.io")
	if !protected || bytes.Contains(c.Data, []byte(approval)) {
		return c.Data
	}
	line, at := "  annotations:\n", metadataLine.FindIndex(c.Data)
	if found := annotationsLine.FindIndex(c.Data); found != nil {
		line, at = "", found
	}
	line += "    " + approval + ": unapproved, experimental-only\n"
	return slices.Concat(c.Data[:at[1]], []byte(line), c.Data[at[1]:])
}

const crdsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// Strict makes a request fail for unknown and duplicate fields.
const Strict = "fieldValidation=Strict"

// CreateCRD creates a definition with strict validation and waits until it is established.
func (s *Server) CreateCRD(ctx context.Context, crd CRD) (*apiextensionsv1.CustomResourceDefinition, error) {
	a, err := s.Do(ctx, http.MethodPost, crdsPath+"?"+Strict, YAML, crd.Approved())
	if err != nil {
		return nil, err
	}
	if !a.OK() {
		return nil, fmt.Errorf("%s: create: %s", crd.From, a)
	}
	var poll poller
	for {
		out, err := s.getCRD(ctx, crd.Name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", crd.From, err)
		}
		if wrong := wrongConditions(out); len(wrong) > 0 {
			return nil, fmt.Errorf("%s: %s", crd.From, strings.Join(wrong, ", "))
		}
		if condition(out, apiextensionsv1.Established) == apiextensionsv1.ConditionTrue {
			return out, nil
		}
		if err = poll.next(ctx); err != nil {
			return nil, fmt.Errorf("%s is not established: %w", crd.From, err)
		}
	}
}

// StoreCRD writes a definition to etcd, as an earlier version of the API server stored it that
// did not reject it. It has a condition NonStructuralSchema that the server has to correct.
func (s *Server) StoreCRD(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition) error {
	stored := crd.DeepCopy()
	stored.APIVersion, stored.Kind = "apiextensions.k8s.io/v1", "CustomResourceDefinition"
	stored.UID, stored.Generation, stored.CreationTimestamp = uuid.NewUUID(), 1, metav1.Now()
	stored.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{{
		Type: apiextensionsv1.NonStructuralSchema, Status: apiextensionsv1.ConditionTrue, Reason: "Violations", Message: "stale", LastTransitionTime: metav1.Now(),
	}}
	for _, v := range stored.Spec.Versions {
		if v.Storage {
			stored.Status.StoredVersions = []string{v.Name}
		}
	}
	value, err := json.Marshal(stored)
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string][]byte{"key": []byte("/registry/apiextensions.k8s.io/customresourcedefinitions/" + crd.Name), "value": value})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.etcdURL+"/v3/kv/put", bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return s.why(err)
	}
	defer response.Body.Close()
	progress(ctx)
	if text, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: etcd: %s: %s %w", crd.Name, response.Status, text, err)
	}
	return nil
}

func (s *Server) getCRD(ctx context.Context, name string) (*apiextensionsv1.CustomResourceDefinition, error) {
	a, err := s.Do(ctx, http.MethodGet, crdsPath+"/"+name, "", nil)
	if err != nil {
		return nil, err
	}
	if !a.OK() {
		return nil, fmt.Errorf("get: %s", a)
	}
	out := &apiextensionsv1.CustomResourceDefinition{}
	return out, json.Unmarshal(a.Body, out)
}

// ApplyCRD applies an existing definition by server-side apply, taking over all fields. The
// definition must already be equal to the manifest. With dryRun, nothing is stored.
func (s *Server) ApplyCRD(ctx context.Context, crd CRD, dryRun bool) error {
	before, err := s.getCRD(ctx, crd.Name)
	if err != nil {
		return fmt.Errorf("%s: %w", crd.From, err)
	}
	query := "?fieldManager=e2e&force=true&" + Strict
	if dryRun {
		query += "&dryRun=All"
	}
	a, err := s.Do(ctx, http.MethodPatch, crdsPath+"/"+crd.Name+query, Apply, crd.Approved())
	if err != nil {
		return err
	}
	if !a.OK() {
		return fmt.Errorf("%s: apply: %s", crd.From, a)
	}
	after := &apiextensionsv1.CustomResourceDefinition{}
	if err := json.Unmarshal(a.Body, after); err != nil {
		return err
	}
	if before.Generation != after.Generation {
		return fmt.Errorf("%s: apply changed the stored object", crd.From)
	}
	return nil
}

// DeleteCRD deletes a definition, without waiting until it is gone.
func (s *Server) DeleteCRD(ctx context.Context, name string) error {
	a, err := s.Do(ctx, http.MethodDelete, crdsPath+"/"+name, "", nil)
	if err == nil && !a.OK() && a.Code != http.StatusNotFound {
		err = fmt.Errorf("delete %s: %s", name, a)
	}
	return err
}

// WaitGone waits until a deleted definition is gone. That takes seconds if it was changed
// shortly before: the server retries until the storage of its objects has been set up again.
// After a conflict, it leaves the definition until the resync five minutes later, or until
// the definition changes (sync and updateCustomResourceDefinition in
// apiextensions-apiserver's crd_finalizer.go). WaitGone therefore changes a label from time
// to time.
func (s *Server) WaitGone(ctx context.Context, name string) error {
	var poll poller
	for try := 0; ; try++ {
		a, err := s.Do(ctx, http.MethodGet, crdsPath+"/"+name, "", nil)
		if err == nil && a.OK() && try > 0 && try%10 == 0 {
			label := fmt.Appendf(nil, `{"metadata": {"labels": {"try": "%d"}}}`, try)
			a, err = s.Do(ctx, http.MethodPatch, crdsPath+"/"+name, MergePatch, label)
		}
		if err != nil {
			return err
		}
		if a.Code == http.StatusNotFound {
			return nil
		}
		if !a.OK() {
			return fmt.Errorf("get %s: %s", name, a)
		}
		if err = poll.next(ctx); err != nil {
			return fmt.Errorf("%s is not deleted: %w", name, err)
		}
	}
}

// wrongConditions returns the conditions that no generated definition may have.
func wrongConditions(crd *apiextensionsv1.CustomResourceDefinition) []string {
	var out []string
	for _, c := range crd.Status.Conditions {
		bad := c.Type == apiextensionsv1.NonStructuralSchema && c.Status == apiextensionsv1.ConditionTrue ||
			c.Type == apiextensionsv1.NamesAccepted && c.Status == apiextensionsv1.ConditionFalse ||
			c.Type == apiextensionsv1.KubernetesAPIApprovalPolicyConformant && c.Status == apiextensionsv1.ConditionFalse && c.Reason != "UnapprovedAnnotation"
		if bad {
			out = append(out, fmt.Sprintf("%s=%s: %s: %s", c.Type, c.Status, c.Reason, c.Message))
		}
	}
	return out
}

func condition(crd *apiextensionsv1.CustomResourceDefinition, kind apiextensionsv1.CustomResourceDefinitionConditionType) apiextensionsv1.ConditionStatus {
	for _, c := range crd.Status.Conditions {
		if c.Type == kind {
			return c.Status
		}
	}
	return apiextensionsv1.ConditionUnknown
}

// BuiltInGroups returns the API groups that the server has without any CRD.
func (s *Server) BuiltInGroups(ctx context.Context) ([]string, error) {
	a, err := s.Do(ctx, http.MethodGet, "/apis", "", nil)
	if err != nil {
		return nil, err
	}
	var list struct {
		Groups []struct{ Name string }
	}
	if err := json.Unmarshal(a.Body, &list); err != nil {
		return nil, fmt.Errorf("/apis: %w", err)
	}
	groups := []string{""}
	for _, g := range list.Groups {
		groups = append(groups, g.Name)
	}
	return groups, nil
}

// ReplaceCRD replaces an existing definition, with strict validation.
func (s *Server) ReplaceCRD(ctx context.Context, crd CRD) error {
	old, err := s.getCRD(ctx, crd.Name)
	if err != nil {
		return fmt.Errorf("%s: %w", crd.From, err)
	}
	var object apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(crd.Approved(), &object); err != nil {
		return fmt.Errorf("%s: %w", crd.From, err)
	}
	object.ResourceVersion = old.ResourceVersion
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	a, err := s.Do(ctx, http.MethodPut, crdsPath+"/"+crd.Name+"?"+Strict, JSON, body)
	if err == nil && !a.OK() {
		err = fmt.Errorf("%s: replace: %s", crd.From, a)
	}
	return err
}
