package peerversions

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// Oldest is the first release in the table. Changes before it are not known.
const Oldest = "v0.14.0"

// Explanation says how far changes of controller-gen explain the difference of two files.
type Explanation struct {
	// Changes are the changes that are needed to explain the difference, oldest first.
	Changes []Change
	// Unexplained are the places of differences that no change explains: paths in YAML
	// ("CustomResourceDefinition things.example.com: spec.versions[0].name"), declarations in
	// Go ("func (in *Thing) DeepCopy"). It is empty if the changes explain everything.
	Unexplained []string
}

// Complete reports whether the changes explain every difference.
func (e Explanation) Complete() bool { return len(e.Unexplained) == 0 }

// Explain finds the changes since a release of controller-gen ("v0.16.5") that explain how its
// file, theirs, differs from ours: the file of the last release in the table, or of schemagen.
// A nil slice is a file that is not written. name is the path of the file. The values of
// version annotations are not compared. An error means that a file cannot be parsed or that
// the table does not cover the release.
func Explain(name, release string, theirs, ours []byte) (Explanation, error) {
	return between(name, release, "", theirs, ours)
}

// between is Explain for a later release, until, instead of the last one.
func between(name, since, until string, theirs, ours []byte) (Explanation, error) {
	if !semver.IsValid(since) || semver.Compare(since, Oldest) < 0 {
		return Explanation{}, fmt.Errorf("changes of controller-gen are known since %s, but not for %q", Oldest, since)
	}
	c := comparison{used: map[string]bool{}}
	for _, change := range Changes() {
		if semver.Compare(change.Since, since) > 0 && (until == "" || semver.Compare(change.Since, until) <= 0) {
			c.changes = append(c.changes, change)
		}
	}
	old, err := parse(name, theirs)
	if err != nil {
		return Explanation{}, fmt.Errorf("%s, written by %s: %w", name, since, err)
	}
	new, err := parse(name, ours)
	if err != nil {
		return Explanation{}, fmt.Errorf("%s, written by schemagen: %w", name, err)
	}
	c.compare(nil, old, new)
	if old, new := withoutVersion(theirs), withoutVersion(ours); len(c.used)+len(c.unexplained) == 0 && old != new {
		c.explain(difference{nil, map[string]any{layout: old}, map[string]any{layout: new}})
	}
	var e Explanation
	for _, change := range c.changes {
		if c.used[change.Name] {
			e.Changes = append(e.Changes, change)
		}
	}
	e.Unexplained = c.unexplained
	return e, nil
}

// A difference is a pair of objects at the same place that differ. A change rewrites what it
// explains so that both sides are equal. Values below the objects are shared: they are
// replaced, not modified.
type difference struct {
	path     []string
	old, new map[string]any
}

// place returns the last n steps of the path, joined with dots.
func (d difference) place(n int) string {
	return strings.Join(d.path[max(0, len(d.path)-n):], ".")
}

// differing returns the sorted keys whose values differ.
func (d difference) differing() []string {
	var keys []string
	for key, value := range d.old {
		if other, both := d.new[key]; !both || !reflect.DeepEqual(value, other) {
			keys = append(keys, key)
		}
	}
	for key := range d.new {
		if _, both := d.old[key]; !both {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// accept makes the old value of a key the new one, or removes it if there is no new one.
func (d difference) accept(keys ...string) {
	for _, key := range keys {
		if value, ok := d.new[key]; ok {
			d.old[key] = value
		} else {
			delete(d.old, key)
		}
	}
}

// comparison compares two files object by object.
type comparison struct {
	changes     []Change
	used        map[string]bool
	unexplained []string
}

// compare compares two objects: what both have below the same keys by recursion, and the rest
// as one difference.
func (c *comparison) compare(path []string, old, new map[string]any) {
	differs := false
	for _, key := range slices.Sorted(maps.Keys(old)) {
		pairs := children(key, old[key], new[key])
		for _, p := range pairs {
			c.compare(append(slices.Clip(path), p.step), p.old, p.new)
		}
		value, both := new[key]
		differs = differs || pairs == nil && (!both || !reflect.DeepEqual(old[key], value))
	}
	for key := range new {
		_, both := old[key]
		differs = differs || !both
	}
	if !differs {
		return
	}
	own := difference{path, map[string]any{}, map[string]any{}}
	for key, value := range old {
		if children(key, value, new[key]) == nil {
			own.old[key] = value
		}
	}
	for key, value := range new {
		if children(key, old[key], value) == nil {
			own.new[key] = value
		}
	}
	c.explain(own)
}

// pair is two objects below the same key.
type pair struct {
	step     string
	old, new map[string]any
}

// children returns the objects of two values that are compared by recursion, or nil if the
// values are compared as a whole.
func children(key string, old, new any) []pair {
	if old, ok := old.(map[string]any); ok {
		if new, ok := new.(map[string]any); ok {
			return []pair{{key, old, new}}
		}
		return nil
	}
	if !slices.Contains([]string{"versions", "anyOf", "oneOf"}, key) {
		return nil
	}
	olds, _ := old.([]any)
	news, _ := new.([]any)
	if len(olds) != len(news) {
		return nil
	}
	var pairs []pair
	for i := range olds {
		old, ok := olds[i].(map[string]any)
		new, both := news[i].(map[string]any)
		if !ok || !both {
			return nil
		}
		pairs = append(pairs, pair{fmt.Sprintf("%s[%d]", key, i), old, new})
	}
	return pairs
}

// explain finds the changes that a difference needs, and notes what remains.
func (c *comparison) explain(d difference) {
	old := d.differing()
	if len(old) == 0 {
		return
	}
	left := old
	needed := []Change(nil)
	if current := d.after(c.changes); len(current) < len(old) {
		left = current
		needed = d.needed(c.changes, current)
	}
	for _, change := range needed {
		c.used[change.Name] = true
	}
	for _, key := range left {
		c.unexplained = append(c.unexplained, describe(append(slices.Clip(d.path), key)))
	}
}

// needed returns the changes without the ones that do not contribute: rare ones first, then from
// the last.
func (d difference) needed(changes []Change, left []string) []Change {
	for _, rare := range []bool{true, false} {
		for i := len(changes) - 1; i >= 0; i-- {
			others := slices.Delete(slices.Clone(changes), i, i+1)
			if changes[i].rare == rare && slices.Equal(d.after(others), left) {
				changes = others
			}
		}
	}
	return changes
}

// after returns the keys that differ after changes rewrote the difference. An earlier change
// may recognize what it explains only after a later one has been applied.
func (d difference) after(changes []Change) []string {
	rewritten := difference{d.path, maps.Clone(d.old), maps.Clone(d.new)}
	for range 2 {
		for _, change := range changes {
			if len(d.path) == 0 || change.writes(d.path[0]) {
				change.rewrite(rewritten)
			}
		}
	}
	return rewritten.differing()
}

// describe writes a path: the document, then the steps in it.
func describe(path []string) string {
	if len(path) < 2 {
		return strings.Join(path, "")
	}
	return path[0] + ": " + strings.Join(path[1:], ".")
}
