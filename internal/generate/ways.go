package generate

import (
	"bytes"
	"maps"
	"path/filepath"
	"reflect"
	"slices"

	ctdeepcopy "sigs.k8s.io/controller-tools/pkg/deepcopy"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/commandline"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/project"
)

// OtherOptions reports generators of the request that have other options than in the project.
func (r *Request) OtherOptions(reader *inputs.Reader, all *Project) (out diag.List) {
	for _, name := range slices.Sorted(maps.Keys(r.Companions.Generators)) {
		own, ok := all.Line.Generators[name]
		if !ok || r.hasOptionsOf(reader, own, r.Companions.Generators[name]) || !r.writesLike(all, name) {
			continue
		}
		out = append(out, OtherWay.At(diag.Position{File: project.Name}, "give "+name+" the same options in both",
			"%s has other options on the command line than in generators: schemagen generate would write other bytes", name))
	}
	return out
}

// hasOptionsOf reports whether two generators have the same options. A year is none if the header has no place
// for it: Kubebuilder's Makefile always gives one.
func (r *Request) hasOptionsOf(reader *inputs.Reader, own, here commandline.Generator) bool {
	if reflect.DeepEqual(own, here) {
		return true
	}
	a, isObject := own.(ctdeepcopy.Generator)
	b, isAlso := here.(ctdeepcopy.Generator)
	if !isObject || !isAlso || filepath.Clean(a.HeaderFile) != filepath.Clean(b.HeaderFile) {
		return false
	}
	header, err := reader.ReadFile(filepath.Join(r.Dir, a.HeaderFile), nil)
	return err == nil && !bytes.Contains(header, []byte(" YEAR"))
}

// writesLike reports whether the request writes the files of a generator where the project has them.
func (r *Request) writesLike(all *Project, generator string) bool {
	rule, explicit := commandline.RuleFor(generator, all.Line.Rules)
	own, _ := commandline.OutputPath(rule, "", "")
	here, _ := commandline.OutputPath(r.Companions.Rules[generator], "", "")
	return !explicit || filepath.Clean(own) == filepath.Clean(here)
}

// OtherPlaces reports channels whose definitions the project has in other directories than the request
// writes to, which is one of the project.
func (r *Request) OtherPlaces(reader *inputs.Reader, file *project.File) (out diag.List) {
	configured := file.Output(reader, r.Dir)
	channels := file.Channels(r.Dir)
	if len(channels) == 0 && filepath.Clean(configured) != filepath.Clean(r.Destination) {
		return diag.List{OtherWay.At(diag.Position{File: project.Name}, "remove the output from the command line, or outputs.crd from "+project.Name,
			"this command line writes the CRDs to %s, and schemagen generate to %s", filepath.ToSlash(r.Destination), filepath.ToSlash(configured))}
	}
	for _, c := range channels {
		i := slices.IndexFunc(r.Channels, func(target Channel) bool { return target.Name == c.Name })
		if i < 0 || filepath.Clean(r.Channels[i].Destination) == filepath.Clean(c.Within(configured)) {
			continue
		}
		out = append(out, OtherWay.At(c.Pos, "remove the output of the CRDs from the command line",
			"this command line writes the CRDs of channel %s to %s, and schemagen generate to %s",
			c.Name, filepath.ToSlash(r.Channels[i].Destination), filepath.ToSlash(c.Within(configured))))
	}
	return out
}
