package generate

import (
	"maps"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/commandline"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/project"
)

// OtherOptions reports generators of the request that have other options than in the project.
func (r *Request) OtherOptions(all *Project) (out diag.List) {
	for _, name := range slices.Sorted(maps.Keys(r.Companions.Generators)) {
		own, ok := all.Line.Generators[name]
		if !ok || reflect.DeepEqual(own, r.Companions.Generators[name]) || !r.writesLike(all, name) {
			continue
		}
		out = append(out, OtherWay.At(diag.Position{File: project.Name}, "give "+name+" the same options in both",
			"%s has other options on the command line than in generators: schemagen generate would write other bytes", name))
	}
	return out
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
