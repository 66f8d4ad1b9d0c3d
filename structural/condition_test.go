package structural

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/fake"
	"k8s.io/apiextensions-apiserver/pkg/client/informers/externalversions"
	"k8s.io/apiextensions-apiserver/pkg/controller/nonstructuralschema"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// conditionController is the server's own controller with a fake client that only stores
// objects.
type conditionController struct {
	client *fake.Clientset
	ctx    context.Context
	count  int
}

func newConditionController(t testing.TB) *conditionController {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c := &conditionController{client: fake.NewClientset(), ctx: ctx}
	factory := externalversions.NewSharedInformerFactory(c.client, 0)
	controller := nonstructuralschema.NewConditionController(factory.Apiextensions().V1().CustomResourceDefinitions(), c.client.ApiextensionsV1())
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		controller.RunWithContext(1, ctx)
	}()
	t.Cleanup(func() { cancel(); <-stopped; factory.Shutdown() })
	return c
}

// conditionOf stores the CRD and returns the condition that the controller sets, or nil. The
// controller has one worker and an ordered queue: once it has set the condition of a later
// CRD, it has processed this one.
func (c *conditionController) conditionOf(t testing.TB, crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinitionCondition {
	t.Helper()
	crds := c.client.ApiextensionsV1().CustomResourceDefinitions()
	old, err := crds.Get(c.ctx, crd.Name, metav1.GetOptions{})
	if err == nil {
		crd.Generation = old.Generation + 1
		crd.Status = old.Status
		_, err = crds.Update(c.ctx, crd, metav1.UpdateOptions{})
	} else {
		_, err = crds.Create(c.ctx, crd, metav1.CreateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	c.count++
	later := testCRD(&apiextensionsv1.JSONSchemaProps{})
	later.Name = fmt.Sprintf("later-%d", c.count)
	if _, err := crds.Create(c.ctx, later, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); c.stored(t, later.Name) == nil; time.Sleep(200 * time.Microsecond) {
		if time.Now().After(deadline) {
			t.Fatal("the controller does not come to the CRD")
		}
	}
	return c.stored(t, crd.Name)
}

func (c *conditionController) stored(t testing.TB, name string) *apiextensionsv1.CustomResourceDefinitionCondition {
	t.Helper()
	crd, err := c.client.ApiextensionsV1().CustomResourceDefinitions().Get(c.ctx, name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, condition := range crd.Status.Conditions {
		if condition.Type == apiextensionsv1.NonStructuralSchema {
			condition.LastTransitionTime = metav1.Time{}
			return &condition
		}
	}
	return nil
}

// ourCondition returns the condition that this package computes for the CRD.
func ourCondition(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinitionCondition {
	var versions []CheckedVersion
	for _, v := range crd.Spec.Versions {
		checked := CheckedVersion{Name: v.Name}
		if v.Schema != nil {
			s, unheld := FromProps(v.Schema.OpenAPIV3Schema)
			checked.Violations, checked.Unsupported = Check(s), unheld
		}
		versions = append(versions, checked)
	}
	return NonStructuralSchema(crd.Spec.PreserveUnknownFields, versions)
}

func describe(c *apiextensionsv1.CustomResourceDefinitionCondition) string {
	if c == nil {
		return "none"
	}
	return fmt.Sprintf("%s %s %s: %s", c.Type, c.Status, c.Reason, c.Message)
}

// TestConditionCases implements the KEP's test plan: structural, not structural and no
// schema, in one version and in several with different schemas; and a CRD that is corrected.
func TestConditionCases(t *testing.T) {
	controller := newConditionController(t)
	good := &apiextensionsv1.JSONSchemaProps{Type: "object"}
	other := &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": {Type: "string"}}}
	bad := &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": {}}}
	worse := &apiextensionsv1.JSONSchemaProps{
		Type:  "object",
		AnyOf: []apiextensionsv1.JSONSchemaProps{{Properties: map[string]apiextensionsv1.JSONSchemaProps{"b": {Type: "string"}}}},
	}
	unheld := &apiextensionsv1.JSONSchemaProps{Type: "object", Ref: ptr.To("#/x")}
	tuple := &apiextensionsv1.JSONSchemaProps{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{JSONSchemas: []apiextensionsv1.JSONSchemaProps{{}}}}
	const schemaPath = "schema.openAPIV3Schema"
	const aHasNoType = schemaPath + ".properties[a].type: Required value: must not be empty for specified object fields"
	for _, c := range []struct {
		name      string
		schemas   []*apiextensionsv1.JSONSchemaProps
		preserve  bool
		condition string
	}{
		{"structural", []*apiextensionsv1.JSONSchemaProps{good}, false, "none"},
		{"not structural", []*apiextensionsv1.JSONSchemaProps{bad}, false,
			"NonStructuralSchema True Violations: spec.versions[0]." + aHasNoType},
		{"no schema", []*apiextensionsv1.JSONSchemaProps{nil}, false, "none"},
		{"structural, different", []*apiextensionsv1.JSONSchemaProps{good, other}, false, "none"},
		{"one of two is not structural", []*apiextensionsv1.JSONSchemaProps{good, bad}, false,
			"NonStructuralSchema True Violations: spec.versions[1]." + aHasNoType},
		{"neither is structural", []*apiextensionsv1.JSONSchemaProps{worse, bad}, false,
			"NonStructuralSchema True Violations: [" +
				"spec.versions[0]." + schemaPath + ".anyOf[0].properties[b].type: Forbidden: must be empty to be structural, " +
				"spec.versions[0]." + schemaPath + ".properties[b]: Required value: because it is defined in spec.versions[0]." + schemaPath + ".anyOf[0].properties[b], " +
				"spec.versions[1]." + aHasNoType + "]"},
		{"one of two has no schema", []*apiextensionsv1.JSONSchemaProps{nil, bad}, false,
			"NonStructuralSchema True Violations: spec.versions[1]." + aHasNoType},
		{"no schemas", []*apiextensionsv1.JSONSchemaProps{nil, nil}, false, "none"},
		{"no schema, nothing pruned", []*apiextensionsv1.JSONSchemaProps{nil}, true,
			"NonStructuralSchema True Violations: spec.preserveUnknownFields: Invalid value: true: must be false"},
		{"not structural, nothing pruned", []*apiextensionsv1.JSONSchemaProps{good, bad}, true,
			"NonStructuralSchema True Violations: [spec.preserveUnknownFields: Invalid value: true: must be false, spec.versions[1]." + aHasNoType + "]"},
		{"not to be held", []*apiextensionsv1.JSONSchemaProps{bad, unheld}, false,
			"NonStructuralSchema Unknown StructuralError: failed to check validation schema for version v2: OpenAPIV3Schema '$ref' is not supported"},
		{"list of items", []*apiextensionsv1.JSONSchemaProps{tuple}, false,
			"NonStructuralSchema Unknown StructuralError: failed to check validation schema for version v1: OpenAPIV3Schema 'items' must be a schema, but is an array"},
	} {
		t.Run(c.name, func(t *testing.T) {
			crd := testCRD(c.schemas...)
			crd.Name = fmt.Sprintf("case-%d", controller.count)
			crd.Spec.PreserveUnknownFields = c.preserve
			if got := describe(ourCondition(crd)); got != c.condition {
				t.Errorf("got  %s\nwant %s", got, c.condition)
			}
			if got := describe(controller.conditionOf(t, crd)); got != c.condition {
				t.Errorf("the server says %s\nwant %s", got, c.condition)
			}
			// Once the CRD is corrected, the condition is removed; once it is broken again,
			// it is set.
			fixed := testCRD(good)
			fixed.Name = crd.Name
			if got := controller.conditionOf(t, fixed); got != nil || ourCondition(fixed) != nil {
				t.Errorf("the repaired CRD has %s, the server says %s", describe(ourCondition(fixed)), describe(got))
			}
			broken := testCRD(worse)
			broken.Name = crd.Name
			if got, want := describe(ourCondition(broken)), describe(controller.conditionOf(t, broken)); got != want || got == "none" {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestConditionAgreesWithServer compares with the controller on random CRDs of one to three
// versions.
func TestConditionAgreesWithServer(t *testing.T) {
	controller := newConditionController(t)
	conditions, several := 0, 0
	for seed := range 300 {
		r := rand.New(rand.NewSource(int64(seed)))
		var schemas []*apiextensionsv1.JSONSchemaProps
		for range 1 + r.Intn(3) {
			var p *apiextensionsv1.JSONSchemaProps
			switch r.Intn(4) {
			case 0, 1:
				p = randomStructural(r, 2, "object").Props()
			case 2:
				p = ptr.To(randomProps(r, 3, false, true))
			}
			schemas = append(schemas, p)
		}
		crd := testCRD(schemas...)
		crd.Name = fmt.Sprintf("seed-%d", seed)
		crd.Spec.PreserveUnknownFields = r.Intn(10) == 0
		got, want := describe(ourCondition(crd)), describe(controller.conditionOf(t, crd))
		if got != want {
			t.Fatalf("seed %d:\ngot  %s\nwant %s", seed, got, want)
		}
		if got != "none" {
			conditions++
		}
		if len(schemas) > 1 {
			several++
		}
	}
	t.Logf("%d of 300 CRDs have the condition, %d have several versions", conditions, several)
	if conditions < 50 || conditions > 250 {
		t.Errorf("%d of 300 have the condition", conditions)
	}
}

// TestConditionSaysTheSameOnce checks that the same message for two nodes is reported once.
func TestConditionSaysTheSameOnce(t *testing.T) {
	v := Violation{Kind: Forbidden, Detail: "no"}
	got := NonStructuralSchema(false, []CheckedVersion{{Violations: []Violation{v, v}}})
	if want := "spec.versions[0].schema.openAPIV3Schema: Forbidden: no"; got == nil || got.Message != want {
		t.Errorf("got %s", describe(got))
	}
	if list := slices.Sorted(slices.Values([]string{"b", "a"})); aggregate(list) != "[a, b]" {
		t.Error(aggregate(list))
	}
}
