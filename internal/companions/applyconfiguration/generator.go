package applyconfiguration

import (
	"errors"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/genall"
	ctmarkers "sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/schemagen/schemagen/internal/markers"
)

// Name is the name of the generator.
const Name = "applyconfiguration"

// Generator has the options of controller-gen's generator (Generator of
// pkg/applyconfiguration). As there, its files are written next to the packages whatever
// the output rules.
type Generator struct {
	// HeaderFile is the file whose text precedes every generated file, with YEAR
	// replaced.
	HeaderFile string `marker:",optional"`
	// ExternalApplyConfigurations name the packages with the apply configurations of
	// external types: <package>.<TypeName>@<package>.
	ExternalApplyConfigurations []string `marker:",optional"`
	// OmitToolVersion has no effect: generated files always name controller-gen as
	// the generator.
	OmitToolVersion *bool `marker:",optional"`
}

// RegisterMarkers implements [genall.Generator].
func (Generator) RegisterMarkers(into *ctmarkers.Registry) error {
	define := func(name string, target ctmarkers.TargetType, value any, help string) error {
		definition, err := ctmarkers.MakeDefinition(name, target, value)
		if err != nil {
			return err
		}
		if err := into.Register(definition); err != nil {
			return err
		}
		into.AddHelp(definition, ctmarkers.SimpleHelp("apply", help))
		return nil
	}
	return errors.Join(
		define(markers.ApplyName, ctmarkers.DescribesPackage, false, "overrides enabling or disabling applyconfiguration generation for the package"),
		define(markers.ApplyName, ctmarkers.DescribesType, false, "overrides enabling or disabling applyconfiguration generation for the type, can be used to generate applyconfiguration for a single type when the package generation is disabled, or to disable generation for a single type when the package generation is enabled"),
		define(markers.ApplyOutputName, ctmarkers.DescribesPackage, "", "overrides the default output package for the applyconfiguration generation, supports relative paths to the API directory. The default value is \"applyconfiguration\""),
		crdmarkers.Register(into),
	)
}

// Generate implements [genall.Generator]. It always fails: see the function of that name.
func (Generator) Generate(*genall.GenerationContext) error {
	return errors.New("it needs the schemas of a run")
}
