package convertprove

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/internal/conversions/convertrun"
	"github.com/schemagen/schemagen/internal/ground/parallel"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/ground/progress"
	"github.com/schemagen/schemagen/internal/ground/screen"
)

func dirOf(file string) string { return filepath.Dir(file) }

func decode(raw []byte) (out any, ok bool) {
	return out, utiljson.Unmarshal(raw, &out) == nil
}

// batch is the number of histories that run at a time, and rounds that of objects in each.
const batch, rounds = 500, 3

// history is an object that clients of both versions change.
type history struct {
	editor
	side int
	// object is the one that was written last, in the version of side, and other what it
	// converts to.
	object, other map[string]any
	// edited is set once a client of the spoke made an edit.
	edited, done bool
}

// violation is an object with which a law does not hold.
type violation struct {
	law string
	// path is without keys of maps and indices of lists.
	path, problem string
	side          int
	edited        bool
	object        map[string]any
}

// violations has one violation for each law, side and path.
type violations map[string]*violation

// add adds a violation, unless there is one that says as much with a smaller object.
func (found violations) add(v *violation) {
	key := v.law + "\n" + strconv.Itoa(v.side) + v.path
	earlier, ok := found[key]
	switch {
	case !ok, earlier.edited && !v.edited:
	case v.edited && !earlier.edited, count(v.object) >= count(earlier.object):
		return
	}
	found[key] = v
}

// sorted returns the violations in the order of their keys. What is lost as a whole is not
// listed again for its parts.
func (found violations) sorted() (out []*violation) {
	for _, key := range slices.Sorted(maps.Keys(found)) {
		v := found[key]
		if !slices.ContainsFunc(out, func(other *violation) bool {
			return v.law != "L7" && other.law == v.law && other.side == v.side && isBelow(v.path, other.path)
		}) {
			out = append(out, v)
		}
	}
	return out
}

// prove runs histories and returns the findings about them, those until then if there is an
// error.
func (s *subject) prove(ctx context.Context, cases int) (diag.List, error) {
	found := violations{}
	err := s.histories(ctx, cases, found)
	if len(found) > 0 && err == nil {
		progress.Start(ctx, "finding", "the smallest objects", 0)
	}
	var out diag.List
	for n, v := range found.sorted() {
		if n < mostShrunk && err == nil {
			v, err = s.shrink(ctx, v)
		}
		out = append(out, s.finding(v))
	}
	return out, cmp.Or(err, ctx.Err())
}

// mostShrunk is the number of violations of which the smallest objects are looked for.
const mostShrunk = 8

// histories runs histories and adds what breaks a law.
func (s *subject) histories(ctx context.Context, cases int, found violations) error {
	proved := progress.Start(ctx, "proving", "histories", cases)
	for first := 0; first < cases; first += batch {
		histories := make([]*history, min(batch, cases-first))
		err := parallel.Do(len(histories), func(i int) (err error) {
			histories[i], err = s.begin(ctx, first+i)
			return err
		})
		if err != nil {
			return err
		}
		for round := range rounds {
			violations, err := s.check(ctx, histories)
			if err != nil {
				return err
			}
			for _, v := range violations {
				found.add(v)
			}
			if round == rounds-1 {
				break
			}
			if err := parallel.Do(len(histories), func(i int) error { return s.next(ctx, histories[i]) }); err != nil {
				return err
			}
		}
		proved.Add(len(histories))
	}
	return nil
}

// begin creates the object of the history with a number. The first ones are the samples as
// they are.
func (s *subject) begin(ctx context.Context, n int) (*history, error) {
	h := &history{editor: editor{rand.New(rand.NewPCG(1, uint64(n)))}, side: n % 2}
	seeds := s.versions[h.side].seeds
	switch {
	case len(seeds) == 0:
		h.done = true
		return h, nil
	case n/2 < len(seeds):
		h.object = seeds[n/2]
		return h, nil
	}
	v := s.versions[h.side]
	h.object = seeds[h.IntN(len(seeds))]
	for range 4 {
		part, _ := h.part(h.object, v.schema).(map[string]any)
		if count(part) == count(h.object) {
			break
		}
		for _, name := range []string{"apiVersion", "kind", "metadata"} {
			part[name] = h.object[name]
		}
		stored, problems, err := v.judge(ctx, part)
		if err != nil {
			return nil, err
		}
		if len(problems) == 0 {
			h.object = stored
			break
		}
	}
	return h, s.edit(ctx, h)
}

// edit lets a client change the object of a history.
func (s *subject) edit(ctx context.Context, h *history) error {
	changed, err := h.valid(ctx, s.versions[h.side], h.object)
	if err != nil || changed == nil {
		return err
	}
	h.object = changed
	h.edited = h.edited || h.side == spokeSide
	return nil
}

// next lets a client of one of the versions read, change and write the object.
func (s *subject) next(ctx context.Context, h *history) error {
	if h.done {
		return nil
	}
	if side := h.IntN(2); side != h.side {
		h.side = side
		h.object = h.other
		h.other = nil
	}
	return s.edit(ctx, h)
}

// check converts the objects of histories to the other version and back, and ends histories that
// break a law.
func (s *subject) check(ctx context.Context, histories []*history) (out []*violation, err error) {
	live := slices.DeleteFunc(slices.Clone(histories), func(h *history) bool { return h.done })
	objects := make([]map[string]any, len(live))
	sides := make([]int, len(live))
	for i, h := range live {
		objects[i] = h.object
		sides[i] = h.side
	}
	found, others, err := s.laws(ctx, objects, sides)
	if err != nil {
		return nil, err
	}
	for i, h := range live {
		h.other = others[i]
		h.done = len(found[i]) > 0 || others[i] == nil
		for _, v := range found[i] {
			v.edited = h.edited
			out = append(out, v)
		}
	}
	return out, nil
}

// laws returns which laws do not hold for each object, and what it converts to.
func (s *subject) laws(ctx context.Context, objects []map[string]any,
	sides []int) (found [][]*violation, others []map[string]any, err error) {
	found = make([][]*violation, len(objects))
	// Go types may write fields that the object does not have.
	written, problems, err := s.convert(ctx, objects, func(i int) leg { return leg{start: sides[i], end: sides[i]} })
	if err != nil {
		return nil, nil, err
	}
	report := func(i int, law, path, format string, args ...any) {
		found[i] = append(found[i],
			&violation{law: law, path: path, problem: fmt.Sprintf(format, args...), side: sides[i], object: objects[i]})
	}
	step := func(law string, in []map[string]any, legOf func(i int) leg) ([]map[string]any, error) {
		out, problems, err := s.convert(ctx, in, legOf)
		for i, problem := range problems {
			if problem != "" {
				report(i, law, "", "cannot be written as %s: %s", s.versions[legOf(i).end].name, problem)
			}
		}
		return out, err
	}
	there := func(i int) leg { return leg{start: sides[i], end: 1 - sides[i]} }
	back := func(i int) leg { return leg{start: 1 - sides[i], end: sides[i]} }
	others, err = step("L0", objects, there)
	if err != nil {
		return nil, nil, err
	}
	backs, err := step("L0", others, back)
	if err != nil {
		return nil, nil, err
	}
	again, err := step("L0", backs, there)
	if err != nil {
		return nil, nil, err
	}
	invalid := make([][]problem, len(objects))
	err = parallel.Do(len(objects), func(i int) error {
		if others[i] == nil {
			return nil
		}
		var err error
		_, invalid[i], err = s.versions[1-sides[i]].judge(ctx, others[i])
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for i := range objects {
		if problems[i] != "" {
			found[i] = nil
			others[i] = nil // the Go type does not have all values of the schema
		}
	}
	read, returned, err := s.normal(ctx, written, backs, func(i int) int { return sides[i] })
	if err != nil {
		return nil, nil, err
	}
	first, second, err := s.normal(ctx, others, again, func(i int) int { return 1 - sides[i] })
	if err != nil {
		return nil, nil, err
	}
	for i := range objects {
		if others[i] == nil || backs[i] == nil || again[i] == nil {
			continue
		}
		own := s.versions[sides[i]].name
		other := s.versions[1-sides[i]].name
		for _, d := range s.differences(sides[i], s.plain(read[i]), s.plain(returned[i])) {
			report(i, []string{"L1", "L2"}[sides[i]], d.pattern, "converted to %s and back, %s is %s, not %s", other, d.path, d.b, d.a)
		}
		for _, d := range s.differences(1-sides[i], first[i], second[i]) {
			if len(found[i]) > 0 {
				break // what comes back as something else converts to something else
			}
			report(i, "L5", d.pattern, "converted to %s, to %s and to %s again, %s becomes %s, from %s", other, own, other, d.path, d.b, d.a)
		}
		for _, problem := range invalid[i] {
			report(i, "L7", s.versions[1-sides[i]].pattern(others[i], problem.path), "%s", problem.text)
		}
	}
	return found, others, nil
}

// normal returns objects of which each pair, if it differs, is written in the form in which objects
// are compared.
func (s *subject) normal(ctx context.Context, a, b []map[string]any,
	sideOf func(i int) int) (x, y []map[string]any, err error) {
	out := [2][]map[string]any{slices.Clone(a), slices.Clone(b)}
	for side, list := range out {
		differing := make([]map[string]any, len(list))
		for i := range list {
			if a[i] != nil && b[i] != nil && !reflect.DeepEqual(a[i], b[i]) {
				differing[i] = list[i]
			}
		}
		normal, _, err := s.convert(ctx, differing, func(i int) leg { return leg{start: sideOf(i), end: sideOf(i), normal: true} })
		if err != nil {
			return nil, nil, err
		}
		for i := range normal {
			if normal[i] != nil {
				out[side][i] = normal[i]
			}
		}
	}
	return out[0], out[1], nil
}

// leg is a conversion of an object from one of the two versions to one of them.
type leg struct {
	start, end int
	// normal is set to get the form in which objects are compared.
	normal bool
}

// convert converts objects. There is none, and a problem, if that fails.
func (s *subject) convert(ctx context.Context, objects []map[string]any,
	legOf func(i int) leg) (out []map[string]any, problems []string, err error) {
	var requests []convertrun.Request
	var asked []int
	for i, object := range objects {
		if object == nil {
			continue
		}
		text, err := json.Marshal(object)
		if err != nil {
			return nil, nil, err
		}
		l := legOf(i)
		requests = append(requests, convertrun.Request{Group: s.kind.Group, Kind: s.kind.Name,
			From: s.versions[l.start].name, To: s.versions[l.end].name, Object: text, Normal: l.normal})
		asked = append(asked, i)
	}
	out = make([]map[string]any, len(objects))
	problems = make([]string, len(objects))
	if len(requests) == 0 {
		return out, problems, nil
	}
	answers, err := s.converter.Convert(ctx, requests)
	if err != nil {
		return nil, nil, err
	}
	for n, answer := range answers {
		if answer.Error != "" {
			problems[asked[n]] = answer.Error
			continue
		}
		value, _ := decode(answer.Object)
		out[asked[n]], _ = value.(map[string]any)
	}
	return out, problems, nil
}

// plain returns an object without what conversions keep.
func (s *subject) plain(object map[string]any) map[string]any {
	metadata, _ := object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	if annotations[crd.ConversionAnnotation(s.kind.Group)] == nil {
		return object
	}
	object = maps.Clone(object)
	metadata = maps.Clone(metadata)
	annotations = maps.Clone(annotations)
	delete(annotations, crd.ConversionAnnotation(s.kind.Group))
	object["metadata"] = metadata
	metadata["annotations"] = annotations
	if len(annotations) == 0 {
		delete(metadata, "annotations")
	}
	return object
}

func text(value any) string {
	if value == nil {
		return "absent"
	}
	out, err := plainjson.Marshal(value)
	if err != nil {
		return err.Error()
	}
	if len(out) > 300 {
		return string(out[:300]) + "…"
	}
	return string(out)
}

// finding describes a violation with its object.
func (s *subject) finding(v *violation) diag.Diagnostic {
	own := s.versions[v.side].name
	other := s.versions[1-v.side].name
	object := maps.Clone(v.object)
	for _, name := range []string{"apiVersion", "kind"} {
		delete(object, name)
	}
	if metadata, _ := object["metadata"].(map[string]any); metadata != nil {
		shown := map[string]any{}
		for _, name := range []string{"labels", "annotations"} {
			if metadata[name] != nil {
				shown[name] = metadata[name]
			}
		}
		object["metadata"] = shown
		if len(shown) == 0 {
			delete(object, "metadata")
		}
	}
	hint := "the object, as " + own + ": " + screen.Line(text(object))
	if v.law == "L7" {
		d := conversions.Invalid(s.pos, own, other, screen.Line(v.problem))
		d.Hint = hint
		if v.side == spokeSide && v.edited {
			return d.As(diag.Note) // a client of the spoke may use what the hub does not allow
		}
		return d
	}
	return brokenLaw.At(s.pos, hint, "%s, %s and %s: %s", s.kind.Name, own, other, screen.Line(v.problem+" ("+v.law+")"))
}
