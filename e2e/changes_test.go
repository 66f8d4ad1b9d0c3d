package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/schemagen/schemagen/internal/test/changetable"
	"github.com/schemagen/schemagen/structural"
)

var updateFacts = flag.Bool("update", false, "rewrite testdata/changes/facts.txt, testdata/unions/writes.txt and e2e/testdata/conversions.md")

const (
	rowsFile  = root + "/testdata/changes/rows.yaml"
	factsFile = root + "/testdata/changes/facts.txt"
)

// changesAtOnce is the number of changes that are tested concurrently.
const changesAtOnce = 8

// TestChanges replaces the old definition of each pair in the table with the new one, and
// checks that the server treats stored objects and requests of clients as recorded in
// testdata/changes/facts.txt. It starts a separate server because of the number of
// definitions.
func TestChanges(t *testing.T) {
	part(t, "changes of definitions")
	data, err := os.ReadFile(rowsFile)
	if err != nil {
		t.Fatal(err)
	}
	cases, err := changetable.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := ownServer(t, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	ctx := within(t)
	definitions := make([]*changedDefinition, len(cases))
	var changes []*changedPosition
	for i := range cases {
		d := &changedDefinition{Case: cases[i], server: s}
		definitions[i] = d
		for _, p := range d.Positions {
			changes = append(changes, &changedPosition{changedDefinition: d, Position: p, object: strings.ReplaceAll(strings.TrimPrefix(p.Name, d.Name), "/", ""),
				facts: changetable.Facts{Name: p.Name, Update: "-", Read: "-", Touch: "-", Edit: "-", Apply: "-", Send: "-", Reapply: "-", Ask: "-"}})
		}
	}
	// The first object of a new definition has to wait, so all definitions are created first.
	concurrently(t, definitions, func(d *changedDefinition) error { return d.install(ctx) })
	concurrently(t, changes, func(c *changedPosition) error { return c.before(ctx) })
	concurrently(t, definitions, func(d *changedDefinition) error { return d.replace(ctx) })
	concurrently(t, changes, func(c *changedPosition) error { return c.after(ctx) })
	var out strings.Builder
	out.WriteString("# What a real kube-apiserver did with the pairs of rows.yaml: written by TestChanges of e2e, with -update.\n")
	counts := map[string]int{}
	for _, c := range changes {
		fmt.Fprintln(&out, c.facts)
		counts[c.facts.Category()]++
	}
	if *updateFacts && os.Getenv(versionVariable) == "" {
		if err := os.WriteFile(factsFile, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(factsFile)
	if err != nil {
		t.Fatal(err)
	}
	known, err := changetable.ReadFacts(string(want))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		// Other versions may check less, for example the formats of numbers.
		if os.Getenv(versionVariable) != "" && c.facts.Harm() <= known[c.Position.Name].Harm() {
			continue
		}
		if known[c.Position.Name] != c.facts {
			t.Errorf("got\n%s\nwant\n%s", c.facts, known[c.Position.Name])
		}
	}
	if len(known) != len(changes) {
		t.Errorf("got %d facts for %d pairs", len(known), len(changes))
	}
	for _, category := range slices.Sorted(maps.Keys(counts)) {
		suite.report.Count("changes of definitions: "+category, counts[category])
	}
}

// concurrently runs a step for all elements, changesAtOnce at a time.
func concurrently[T any](t *testing.T, all []T, step func(T) error) {
	t.Helper()
	slots := make(chan struct{}, changesAtOnce)
	var wait sync.WaitGroup
	for _, c := range all {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			if err := step(c); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

// changedDefinition is a case on a server.
type changedDefinition struct {
	changetable.Case
	server *Server
	kind   string
	// model is the schema of the old definition for the version that the old client uses.
	model *structural.Schema
	// update is the server's response to the new definition.
	update string
}

// changedPosition is a changed position of a case on a server.
type changedPosition struct {
	*changedDefinition
	changetable.Position
	// object is a part of the names of its objects.
	object string
	facts  changetable.Facts
	// stored, sent and reapplied are objects as they were under the old definition.
	stored, sent, reapplied map[string]any
}

// probe is a field added to the new definition. It shows whether the server already uses it.
const probe = "probe"

func (c *changedDefinition) install(ctx context.Context) error {
	data, err := json.Marshal(c.Old)
	if err != nil {
		return err
	}
	crd, err := NewCRD(c.Case.Name, data)
	if err != nil {
		return err
	}
	made, err := c.server.CreateCRD(ctx, crd)
	if err != nil {
		return err
	}
	c.kind = made.Spec.Names.Kind
	for _, v := range made.Spec.Versions {
		if v.Name == c.Version {
			c.model, _ = structural.FromProps(v.Schema.OpenAPIV3Schema)
		}
	}
	return nil
}

// before stores the objects that the old definition allows.
func (c *changedPosition) before(ctx context.Context) error {
	var err error
	if c.stored, err = c.create(ctx, c.StoredVersion, "stored-"+c.object, c.Stored); err != nil {
		return fmt.Errorf("%s: the stored object: %w", c.Position.Name, err)
	}
	if c.sent, err = c.create(ctx, c.Version, "sent-before-"+c.object, c.Sent); err != nil {
		return fmt.Errorf("%s: the client's object: %w", c.Position.Name, err)
	}
	if len(c.Applies) > 0 {
		for _, name := range []string{"applied-" + c.object, "applied-before-" + c.object} {
			for i := range c.Applies[:len(c.Applies)-1] {
				if err := c.apply(ctx, name, fmt.Sprint("manager", i), c.Applies[i]); err != nil {
					return err
				}
			}
		}
		if err := c.apply(ctx, "applied-before-"+c.object, "manager0", c.Applies[len(c.Applies)-1]); err != nil {
			return err
		}
		if c.reapplied, err = c.get(ctx, c.Version, "applied-before-"+c.object); err != nil {
			return err
		}
	}
	for _, ask := range c.Asks {
		if got, err := c.ask(ctx, ask); err != nil || got != "ok" {
			return fmt.Errorf("%s: %s %w", ask, got, err)
		}
	}
	return nil
}

// replace replaces the definition, and waits until the server uses the new one.
func (c *changedDefinition) replace(ctx context.Context) error {
	_, first, _ := strings.Cut(c.Positions[0].Name, "/")
	for _, v := range c.New["spec"].(map[string]any)["versions"].([]any) {
		schema := v.(map[string]any)["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
		schema["properties"].(map[string]any)[probe] = map[string]any{"type": "string", "default": "new"}
	}
	old, err := c.server.getCRD(ctx, c.New["metadata"].(map[string]any)["name"].(string))
	if err != nil {
		return err
	}
	var object apiextensionsv1.CustomResourceDefinition
	data, err := json.Marshal(c.New)
	if err == nil {
		err = json.Unmarshal(data, &object)
	}
	if err != nil {
		return err
	}
	object.ResourceVersion = old.ResourceVersion
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	a, err := c.server.Do(ctx, http.MethodPut, crdsPath+"/"+object.Name+"?"+Strict, JSON, body)
	if err != nil {
		return err
	}
	c.update = factOf(a)
	if !a.OK() {
		return nil
	}
	poll := poller{maxInterval: 200 * time.Millisecond}
	for failing := 0; failing < 12; {
		read, err := c.get(ctx, c.StoredVersion, "stored-"+first)
		var rejected *rejection
		switch {
		case errors.As(err, &rejected):
			failing++ // the new definition cannot read it, or is not in use yet
		case err != nil:
			return err
		case read[probe] == "new":
			return nil
		}
		if err = poll.next(ctx); err != nil {
			return err
		}
	}
	return nil
}

// after determines how the server treats stored objects and requests of clients.
func (c *changedPosition) after(ctx context.Context) error {
	if c.facts.Update = c.update; c.update != "ok" {
		return nil
	}
	c.facts.Read = c.kept(ctx, c.StoredVersion, "stored-"+c.object, c.stored)
	var err error
	c.facts.Touch, err = c.edited(ctx, func(object map[string]any) {
		object["metadata"].(map[string]any)["labels"] = map[string]any{"touched": "yes"}
	})
	if err != nil {
		return err
	}
	c.facts.Edit, err = c.edited(ctx, c.Edit)
	if err != nil {
		return err
	}
	if c.facts.Edit == "ok" {
		want := changetable.Copy(c.stored)
		c.Edit(want)
		c.facts.Edit = c.kept(ctx, c.StoredVersion, "stored-"+c.object, want)
	}
	c.facts.Apply = "ok"
	var rejected *rejection
	switch err := c.applyMetadata(ctx); {
	case errors.As(err, &rejected):
		c.facts.Apply = rejected.fact
	case err != nil:
		return err
	}
	switch _, err := c.create(ctx, c.Version, "sent-after-"+c.object, c.Sent); {
	case errors.As(err, &rejected):
		c.facts.Send = rejected.fact
	case err != nil:
		return err
	default:
		c.facts.Send = c.kept(ctx, c.Version, "sent-after-"+c.object, c.sent)
	}
	if len(c.Applies) > 0 {
		switch err := c.apply(ctx, "applied-"+c.object, "manager0", c.Applies[len(c.Applies)-1]); {
		case errors.As(err, &rejected):
			c.facts.Reapply = rejected.fact
		case err != nil:
			return err
		default:
			c.facts.Reapply = c.kept(ctx, c.Version, "applied-"+c.object, c.reapplied)
		}
	}
	for _, ask := range c.Asks {
		if c.facts.Ask, err = c.ask(ctx, ask); err != nil {
			return err
		}
	}
	return nil
}

// rejection is an unsuccessful response.
type rejection struct{ fact, text string }

func (r *rejection) Error() string { return r.text }

func factOf(a Answer) string {
	if a.OK() {
		return "ok"
	}
	return fmt.Sprint(a.Code)
}

func (c *changedDefinition) path(version, name string) string {
	return fmt.Sprintf("/apis/%s/%s/namespaces/default/%s", changetable.Group, version, c.Plural) + name
}

// do sends a request and decodes the response.
func (c *changedDefinition) do(ctx context.Context, method, path, contentType string, object map[string]any) (map[string]any, error) {
	var body []byte
	if object != nil {
		var err error
		if body, err = json.Marshal(object); err != nil {
			return nil, err
		}
	}
	a, err := c.server.Do(ctx, method, path, contentType, body)
	if err != nil {
		return nil, err
	}
	if !a.OK() {
		return nil, &rejection{factOf(a), a.String()}
	}
	out := map[string]any{}
	return out, utiljson.Unmarshal(a.Body, &out)
}

func (c *changedDefinition) get(ctx context.Context, version, name string) (map[string]any, error) {
	return c.do(ctx, http.MethodGet, c.path(version, "/"+name), "", nil)
}

// named returns an object with its type and metadata.
func (c *changedDefinition) named(version, name string, object map[string]any) map[string]any {
	out := changetable.Copy(object)
	out["apiVersion"], out["kind"] = changetable.Group+"/"+version, c.kind
	out["metadata"] = map[string]any{"name": name}
	return out
}

// create stores an object and returns it as read back.
func (c *changedPosition) create(ctx context.Context, version, name string, object map[string]any) (map[string]any, error) {
	if _, err := c.do(ctx, http.MethodPost, c.path(version, ""), JSON, c.named(version, name, object)); err != nil {
		return nil, err
	}
	return c.get(ctx, version, name)
}

func (c *changedPosition) apply(ctx context.Context, name, manager string, object map[string]any) error {
	_, err := c.do(ctx, http.MethodPatch, c.path(c.Version, "/"+name)+"?force=true&fieldManager="+manager, Apply, c.named(c.Version, name, object))
	return err
}

// applyMetadata applies a label to the stored object.
func (c *changedPosition) applyMetadata(ctx context.Context) error {
	object := c.named(c.StoredVersion, "stored-"+c.object, nil)
	object["metadata"].(map[string]any)["labels"] = map[string]any{"applied": "yes"}
	_, err := c.do(ctx, http.MethodPatch, c.path(c.StoredVersion, "/stored-"+c.object)+"?fieldManager=labels", Apply, object)
	return err
}

// edited changes the stored object like a client that has read it.
func (c *changedPosition) edited(ctx context.Context, edit func(map[string]any)) (string, error) {
	object, err := c.get(ctx, c.StoredVersion, "stored-"+c.object)
	if err == nil {
		edit(object)
		_, err = c.do(ctx, http.MethodPut, c.path(c.StoredVersion, "/stored-"+c.object), JSON, object)
	}
	var rejected *rejection
	if errors.As(err, &rejected) {
		return rejected.fact, nil
	}
	return "ok", err
}

// kept returns whether an object is read back unchanged, in the fields of the old definition.
func (c *changedPosition) kept(ctx context.Context, version, name string, want map[string]any) string {
	got, err := c.get(ctx, version, name)
	var rejected *rejection
	if errors.As(err, &rejected) {
		return rejected.fact
	}
	if err != nil || !reflect.DeepEqual(c.seen(got), c.seen(want)) {
		return "lost"
	}
	return "ok"
}

// seen returns the object as seen by a client of the old definition.
func (c *changedDefinition) seen(object map[string]any) map[string]any {
	out := changetable.Copy(object)
	for _, name := range []string{"metadata", "apiVersion", probe} {
		delete(out, name)
	}
	structural.Prune(c.model, out, true)
	return out
}

// ask sends another request of an old client: to a path below the collection or the object,
// or to the resource by another name.
func (c *changedPosition) ask(ctx context.Context, what string) (string, error) {
	if what[0] == '/' || what[0] == '?' {
		path := c.path(c.Version, what)
		if what[0] == '/' {
			path = c.path(c.Version, "/stored-"+c.object+what)
		}
		a, err := c.server.Do(ctx, http.MethodGet, path, "", nil)
		return factOf(a), err
	}
	want := map[string]string{"listKind": "Kind" + c.Plural + "List", "singular": "one" + c.Plural}[what]
	// Discovery is updated some time after the definition.
	got := "lost"
	poll := poller{maxInterval: 100 * time.Millisecond}
	for range 10 {
		list, err := c.do(ctx, http.MethodGet, c.path(c.Version, "")+"?limit=1", "", nil)
		if err != nil {
			return "", err
		}
		resources, err := c.do(ctx, http.MethodGet, fmt.Sprintf("/apis/%s/%s", changetable.Group, c.Version), "", nil)
		if err != nil {
			return "", err
		}
		got = "lost"
		if what == "listKind" && list["kind"] == want {
			got = "ok"
		}
		for _, r := range resources["resources"].([]any) {
			r := r.(map[string]any)
			names := append([]any{r["singularName"]}, asList(r["shortNames"])...)
			names = append(names, asList(r["categories"])...)
			if r["name"] == c.Plural && (slices.Contains(names, any(what)) || want != "" && slices.Contains(names, any(want))) {
				got = "ok"
			}
		}
		if err := poll.next(ctx); err != nil {
			return "", err
		}
	}
	return got, nil
}

func asList(value any) []any {
	list, _ := value.([]any)
	return list
}
