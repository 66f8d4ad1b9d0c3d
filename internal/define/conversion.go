package define

import (
	"fmt"
	"reflect"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// This file implements +schemagen:conversion, which configures how a server converts
// between the versions of a kind; controller-tools has no marker for it. Its values are
// validated by the API server's own code, as is the rest of a definition.

const (
	// conversionPath is the path at which controller-runtime serves conversions.
	conversionPath = "/convert"
	// injectAnnotation names the Certificate whose CA cert-manager's injector writes into
	// the conversion of a CRD.
	injectAnnotation = "cert-manager.io/inject-ca-from"
)

// conversionMarker returns the conversion marker of a version of a kind: the last one on its root
// type, otherwise its package's, or nil if there is none.
func (df *Definer) conversionMarker(t *source.Type) *markers.Marker {
	marker := df.run.Describe(t.Pkg).conversion
	for _, m := range t.Markers {
		if m.Name == markers.ConversionName {
			marker = m
		}
	}
	return marker
}

// setConversion sets the conversion in the definition of a kind, and returns the marker
// that it comes from, or nil if there is none. It reports versions whose conversions differ.
func (df *Definer) setConversion(k GroupKind, object *apiextensionsv1.CustomResourceDefinition,
	roots []*source.Type) *markers.Marker {
	var first *source.Type
	for _, t := range roots {
		marker := df.conversionMarker(t)
		switch {
		case marker == nil:
		case first == nil:
			first = t
		case !reflect.DeepEqual(marker.Value, df.conversionMarker(first).Value):
			d := df.reporter.Report(report.ConversionsDiffer, t.Pkg.At(marker.Pos), "a definition has one conversion for all versions: write the same marker on each version, or only one",
				"version %s of kind %s has a different conversion than version %s", df.run.Describe(t.Pkg).version, k, df.run.Describe(first.Pkg).version)
			d.Related = append(d.Related, diag.Related{Pos: df.reporter.Position(df.conversionMarker(first).Pos), Message: "version " + df.run.Describe(first.Pkg).version})
		}
	}
	if first == nil {
		return nil
	}
	marker := df.conversionMarker(first)
	conversion, err := conversionOf(marker.Value.(markers.Conversion))
	if err != nil {
		df.reporter.Report(report.MalformedArguments, first.Pkg.At(marker.Pos), "as in +"+markers.ConversionName+":strategy=Webhook,service=NAMESPACE/NAME", "+%s: %v", marker.Name, err)
		return marker
	}
	object.Spec.Conversion = conversion
	if certificate := marker.Value.(markers.Conversion).Certificate; certificate != "" {
		if object.Annotations == nil {
			object.Annotations = map[string]string{}
		}
		object.Annotations[injectAnnotation] = certificate
	}
	return marker
}

// conversionOf returns the conversion that a marker describes.
func conversionOf(m markers.Conversion) (*apiextensionsv1.CustomResourceConversion, error) {
	out := &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.ConversionStrategyType(m.Strategy)}
	if out.Strategy != apiextensionsv1.WebhookConverter {
		if m.Service+m.Certificate != "" || m.Path != nil || m.Port != nil || m.ReviewVersions != nil {
			return nil, fmt.Errorf("only the strategy Webhook has a service, a path, a port, review versions and a certificate")
		}
		return out, nil
	}
	namespace, name, ok := strings.Cut(m.Service, "/")
	if !ok {
		return nil, fmt.Errorf("the service must be NAMESPACE/NAME, got %q", m.Service)
	}
	if _, _, ok := strings.Cut(m.Certificate, "/"); !ok && m.Certificate != "" {
		return nil, fmt.Errorf("the certificate must be NAMESPACE/NAME, got %q", m.Certificate)
	}
	service := &apiextensionsv1.ServiceReference{Namespace: namespace, Name: name, Path: new(conversionPath)}
	switch {
	case m.Path == nil:
	case *m.Path == "":
		service.Path = nil
	default:
		service.Path = m.Path
	}
	if m.Port != nil {
		if *m.Port < 1 || *m.Port > 65535 {
			return nil, fmt.Errorf("the port must be between 1 and 65535, got %d", *m.Port)
		}
		service.Port = new(int32(*m.Port))
	}
	out.Webhook = &apiextensionsv1.WebhookConversion{
		ClientConfig:             &apiextensionsv1.WebhookClientConfig{Service: service},
		ConversionReviewVersions: []string{"v1"},
	}
	if m.ReviewVersions != nil {
		out.Webhook.ConversionReviewVersions = m.ReviewVersions
	}
	return out, nil
}
