package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/test/containmenttest"
	"github.com/schemagen/schemagen/structural"
)

// containedPair is a kind of which one channel is said to contain the other: each is on the
// server in a group of its own.
type containedPair struct {
	name         string
	seed         uint64
	narrow, wide CRD
	schema       *structural.Schema
}

// TestContained creates random objects in a channel and in one that is said to contain it, and
// checks that the second accepts what the first one accepts, and stores it equally.
func TestContained(t *testing.T) {
	part(t, "channels that contain others")
	s, ctx := cluster(t), within(t)
	specs := map[string]string{}
	for seed := range uint64(230) {
		specs[fmt.Sprintf("p%d", seed)] = containmenttest.Random{Rand: rand.New(rand.NewPCG(seed, 24))}.Spec()
	}
	made, err := containmenttest.Generate(t.Context(), t.TempDir(), specs)
	if err != nil {
		t.Fatal(err)
	}
	target, err := apiserver.NewTarget("")
	if err != nil {
		t.Fatal(err)
	}
	var pairs []containedPair
	for seed := range uint64(len(specs)) {
		name := fmt.Sprintf("p%d", seed)
		ok, err := made.IsAccepted(t.Context(), target, name)
		if err != nil {
			t.Fatal(err)
		}
		if !ok || !made.IsContained(name) {
			continue
		}
		narrow, wide := containmenttest.DefinitionOf(&made.Narrow, name), containmenttest.DefinitionOf(&made.Wide, name)
		pairs = append(pairs, containedPair{name, seed, inChannel(t, narrow, name, "narrow"), inChannel(t, wide, name, "wide"), narrow.Schemas[0]})
	}
	t.Cleanup(func() {
		ctx, cancel := afterwards()
		defer cancel()
		concurrently(t, pairs, func(p containedPair) error {
			return errors.Join(s.DeleteCRD(ctx, p.narrow.Name), s.DeleteCRD(ctx, p.wide.Name))
		})
	})
	concurrently(t, pairs, func(p containedPair) error {
		_, narrow := s.CreateCRD(ctx, p.narrow)
		_, wide := s.CreateCRD(ctx, p.wide)
		return errors.Join(narrow, wide)
	})
	var mu sync.Mutex
	accepted, rejected := 0, 0
	concurrently(t, pairs, func(p containedPair) error {
		spec := p.schema.Properties[p.schema.PropertyIndex("spec")].Schema
		random := containmenttest.Random{Rand: rand.New(rand.NewPCG(p.seed, 25))}
		for n := range 60 {
			value := random.Value(spec)
			before, refused, err := s.createIn(t, p.narrow, n, value)
			if err != nil {
				return err
			}
			if refused != "" {
				mu.Lock()
				rejected++
				mu.Unlock()
				continue
			}
			after, refused, err := s.createIn(t, p.wide, n, value)
			if err != nil {
				return err
			}
			if problem := containmenttest.Disagreement(before, after, refused, p.schema); problem != "" {
				return fmt.Errorf("%s: %v: %s\n%s", p.name, value, problem, specs[p.name])
			}
			mu.Lock()
			accepted++
			mu.Unlock()
		}
		return nil
	})
	t.Logf("%d pairs: %d objects accepted, %d rejected", len(pairs), accepted, rejected)
	if accepted < 2000 || rejected < 500 {
		t.Errorf("%d objects were accepted, and %d rejected", accepted, rejected)
	}
	suite.report.Count("random kinds in a channel and in one that contains it", len(pairs))
	suite.report.Count("their random objects, accepted by the first channel, and by the other one and stored equally", accepted)
}

// inChannel returns the definition of a package in a channel, in a group of its own.
func inChannel(t *testing.T, d *crd.Definition, name, channel string) CRD {
	t.Helper()
	object := d.Build()
	object.Spec.Group = name + "." + channel + ".test"
	object.Name = object.Spec.Names.Plural + "." + object.Spec.Group
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return CRD{From: name + " in channel " + channel, Name: object.Name, Group: object.Spec.Group, Data: data}
}

// createIn creates the n-th object of the kind in a channel. It returns what is stored, without
// metadata, or the reason that the object is refused.
func (s *Server) createIn(t *testing.T, in CRD, n int, spec any) (stored map[string]any, refused string, err error) {
	object := containmenttest.Widget(in.Group, spec)
	object["apiVersion"] = in.Group + "/v1"
	object["metadata"] = map[string]any{"name": fmt.Sprintf("a%d", n)}
	body, err := json.Marshal(object)
	if err != nil {
		return nil, "", err
	}
	var poll poller
	for {
		a, err := s.Do(t.Context(), http.MethodPost, "/apis/"+in.Group+"/v1/namespaces/default/widgets", JSON, body)
		switch {
		case err != nil:
			return nil, "", err
		case a.Code == http.StatusNotFound: // it is not served yet
			if err := poll.next(t.Context()); err != nil {
				return nil, "", err
			}
		case a.Code == http.StatusUnprocessableEntity:
			return nil, a.String(), nil
		case !a.OK():
			return nil, "", fmt.Errorf("%s: %s", in.From, a)
		default:
			stored := objectOf(t, a.Body)
			delete(stored, "metadata")
			delete(stored, "apiVersion")
			return stored, "", nil
		}
	}
}
