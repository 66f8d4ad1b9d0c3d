package generate

import "github.com/schemagen/schemagen/diag"

// Kinds of diagnostics of this package, in the order of their codes.
var (
	// OtherWay is reported for a command line that writes other bytes than schemagen generate.
	OtherWay = &diag.Kind{
		Code: "SG107", Severity: diag.Warning, Title: "two ways to generate a project that differ",
		Explanation: "schemagen.yaml and a command line, such as one of a Makefile, say different things about the same files: an option of the CRDs, the directories of channels, or the options of rbac, webhook or object. What the last of both wrote is out of date for the other one. Keep the setting in schemagen.yaml, and run schemagen generate. Another directory than that of the project is no second way.",
		Bad: `
$ schemagen crd:maxDescLen=0 paths=./... output:dir=config/crd
-- schemagen.yaml --
paths: [./...]
-- v1/types.go --
Name string ´json:"name"´`,
		Good: "$ schemagen crd paths=./... output:dir=config/crd",
	}
	// StaleOutput is reported for files whose kind is no longer generated.
	StaleOutput = &diag.Kind{
		Code: "SG501", Severity: diag.Warning, Title: "a file that is no longer generated",
		Explanation: "The output directory has a CRD of one of the run's groups that schemagen wrote and whose kind no longer exists. --prune removes such files if the CRD has schemagen's version annotation and the file has its name and no other content. It is a note, and the file is kept, if a Go file of the project still declares the kind: in a package that the run does not cover, behind a build tag, or with a marker that omits it. schemagen generate also reports files of rbac, webhook and object that no marker asks for any more, and keeps them, because they may be in use: nothing shows that a manifest is not written by hand, and other packages may call the methods of a type. It removes methods of types that no longer exist. schemagen unions, schemagen types and schemagen conversions report files that they no longer write, with the same flag. conversions also keeps the file of a kind that has another version in a package that was not named.",
		Bad: `
$ schemagen crd ./... -o crds
-- v1/types.go --
Name string ´json:"name"´
-- crds/example.com_gadgets.yaml --
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    controller-gen.kubebuilder.io/version: schemagen-v1.0.0
  name: gadgets.example.com
spec:
  group: example.com
  names: {kind: Gadget, plural: gadgets}
  scope: Namespaced
  versions: []`,
		Good: "$ schemagen crd ./... -o crds --prune",
	}
	foreignKustomization = &diag.Kind{
		Code: "SG504", Title: "a kustomization that schemagen did not write",
		Explanation: "crd.kustomize writes kustomization.yaml into the output directory. The existing one does not begin like those of schemagen, so it is not replaced; and kustomize rejects two in one directory. Write the CRDs to a directory of their own, such as bases, and list that directory in yours.",
		Bad: `
$ schemagen crd ./... -o config/crd --set crd.kustomize=true
-- v1/types.go --
Name string ´json:"name"´
-- config/crd/kustomization.yaml --
resources: [bases/example.com_widgets.yaml]
patches: [{path: webhook.yaml}]`,
		Good: `
$ schemagen crd ./... -o config/crd/bases --set crd.kustomize=true
-- config/crd/kustomization.yaml --
resources: [bases]
patches: [{path: webhook.yaml}]`,
	}
	missingHelmValues = &diag.Kind{
		Code: "SG505", Severity: diag.Warning, Title: "chart values without the switches of the CRDs",
		Explanation: "Templates that outputs.helm writes install the CRDs if the value crds.install is true, and keep them when the release is uninstalled if crds.keep is true. Both are booleans in values.yaml of the chart.",
		Bad: `
$ schemagen crd ./... --set outputs.helm=chart/templates/crds
-- v1/types.go --
Name string ´json:"name"´
-- chart/values.yaml --
replicas: 1`,
		Good: `
-- chart/values.yaml --
replicas: 1
crds:
  install: true
  keep: true`,
	}
	largeHelmRelease = &diag.Kind{
		Code: "SG506", Severity: diag.Warning, Title: "CRDs that nearly fill a Helm release",
		Explanation: "Helm keeps each release in a Secret of at most 1 MiB: the files of the chart and the rendered templates, compressed and in base64. The size is that of the CRDs of this run alone. Descriptions take most of it: crd.maxDescLen shortens them, 0 removes them.",
		Bad: `
$ schemagen crd ./... --set outputs.helm=chart/crds
-- v1/types.go --
API corev1.PodSpec ´json:"api"´
Cache corev1.PodSpec ´json:"cache"´
Database corev1.PodSpec ´json:"database"´
Queue corev1.PodSpec ´json:"queue"´
Web corev1.PodSpec ´json:"web"´
Worker corev1.PodSpec ´json:"worker"´`,
		Good: "$ schemagen crd ./... --set outputs.helm=chart/crds --set crd.maxDescLen=0",
	}
	fileWrittenTwice = &diag.Kind{
		Code: "SG512", Title: "a file that is written twice",
		Explanation: "An output rule sends files of one name to the same directory: those of a generator for several packages, or of several generators. controller-gen keeps the one that it writes last. By default, code is written next to its package; fileName of rbac renames its file.",
		Bad: `
$ schemagen object paths=./... output:dir=generated
-- api/v1/types.go --
// +kubebuilder:object:generate=true
package v1

type WidgetSpec struct {
	Names []string
}
-- api/v2/types.go --
// +kubebuilder:object:generate=true
package v2

type WidgetSpec struct {
	Names []string
}`,
		Good: "$ schemagen object paths=./...",
	}
)

// Codes returns the kinds of diagnostics that this package reports, in the order of their
// codes.
func Codes() []*diag.Kind {
	return []*diag.Kind{OtherWay, StaleOutput, foreignKustomization, missingHelmValues, largeHelmRelease, fileWrittenTwice}
}
