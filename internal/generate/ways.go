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

// OtherOptions reports generators of the request that have other options than in the project, for the same files.
func (r *Request) OtherOptions(reader *inputs.Reader, all *Project) (out diag.List) {
	for _, name := range slices.Sorted(maps.Keys(r.Companions.Generators)) {
		own, ok := all.Line.Generators[name]
		rule, isExplicit := commandline.RuleFor(name, all.Line.Rules)
		isElsewhere := isExplicit && !reflect.DeepEqual(rule, r.Companions.Rules[name])
		here := r.withoutYear(reader, r.Companions.Generators[name])
		if !ok || isElsewhere || reflect.DeepEqual(r.withoutYear(reader, own), here) {
			continue
		}
		out = append(out, OtherWay.At(diag.Position{File: project.Name}, "give "+name+" the same options in both",
			"%s has other options on the command line than in generators: schemagen generate would write other bytes", name))
	}
	return out
}

// withoutYear returns a generator without a year for which its header has no place: Kubebuilder's Makefile
// always gives one to object.
func (r *Request) withoutYear(reader *inputs.Reader, g commandline.Generator) commandline.Generator {
	object, ok := g.(ctdeepcopy.Generator)
	if !ok {
		return g
	}
	object.HeaderFile = filepath.Clean(object.HeaderFile)
	header, err := reader.ReadFile(filepath.Join(r.Dir, object.HeaderFile), nil)
	if err == nil && !bytes.Contains(header, []byte(" YEAR")) {
		object.Year = ""
	}
	return object
}

// OtherPlaces reports channels whose definitions the project has in other directories than the request
// writes to, which is one of the project.
func (r *Request) OtherPlaces(reader *inputs.Reader, file *project.File) (out diag.List) {
	configured := file.Output(reader, r.Dir)
	channels := file.Channels(r.Dir)
	if len(channels) == 0 && filepath.Clean(configured) != filepath.Clean(r.Destination) {
		hint := "write outputs.crd into " + project.Name + ", and no output on the command line"
		return diag.List{OtherWay.At(diag.Position{File: project.Name}, hint,
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
