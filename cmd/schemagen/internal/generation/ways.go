package generation

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/generate"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/project"
)

// compareWays reports where schemagen generate would write other bytes to the project's files than a
// command line with a generator's name. flags have the values that the run uses.
func (inv *Invocation) compareWays(s *Settings, v *Values, flags *pflag.FlagSet,
	reader *inputs.Reader) (diag.List, error) {
	file := s.Reporter.Project
	if file == nil || file.Name == "" || inv.Of != project.OfCRD || !inv.selection(v).EveryChannel() {
		return nil, nil
	}
	var out diag.List
	_, isKubebuilder := project.ReadKubebuilder(reader, v.Dir)
	// In other projects without a list, the files that a generator has written show it, but not its options.
	hasOptions := isKubebuilder || len(file.Texts("generators", v.Dir)) > 0
	if len(v.Companions.Generators) > 0 && hasOptions {
		// Mistakes in the list of generators are reported by schemagen generate.
		if all, err := generate.ReadProject(reader, file, v.Dir, time.Now().UTC().Year(), nil); err == nil {
			out = v.Request.OtherOptions(reader, all)
		}
	}
	if v.NoCRD || !inv.isOutputOfProject(s, v, reader) {
		return out, nil
	}
	out = append(out, v.Request.OtherPlaces(reader, file)...)
	var own Values
	ownFlags := own.Flags(project.OfCRD)
	if err := file.Fill(project.OfCRD, v.Dir, ownFlags); err != nil {
		return nil, err
	}
	for _, setting := range project.SettingsOf(project.OfCRD) {
		flag := flags.Lookup(setting.Name())
		changesBytes := strings.HasPrefix(setting.Key, "crd.") ||
			slices.Contains([]string{"tags", "enable", "unions"}, setting.Key)
		if slices.Contains([]string{"crd.skipVerify", "crd.prune"}, setting.Key) {
			continue
		}
		if !changesBytes || flag == nil || flag.Value.String() == ownFlags.Lookup(setting.Name()).Value.String() {
			continue
		}
		out = append(out, generate.OtherWay.At(diag.Position{File: project.Name}, "write "+setting.Key+" into "+project.Name+" only",
			"%s is %q on the command line and %q in %s: schemagen generate would write other CRDs to %s",
			setting.Key, flag.Value.String(), ownFlags.Lookup(setting.Name()).Value.String(), project.Name, filepath.ToSlash(v.Destination)))
	}
	return out, nil
}

// isOutputOfProject reports whether the CRDs are written to the directory of the project, or to a default, and not
// to another one that the command line names.
func (inv *Invocation) isOutputOfProject(s *Settings, v *Values, reader *inputs.Reader) bool {
	if !inv.Given.Changed("output") {
		return true
	}
	places := []string{s.Reporter.Project.Output(reader, v.Dir)}
	if _, isKubebuilder := project.ReadKubebuilder(reader, v.Dir); isKubebuilder {
		places = append(places, project.KubebuilderCRDs)
	}
	return slices.ContainsFunc(places, func(place string) bool {
		return filepath.Clean(place) == filepath.Clean(v.Destination)
	})
}
