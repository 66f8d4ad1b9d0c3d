package crdrun

import "github.com/schemagen/schemagen/diag"

// Kinds of diagnostics of this package, in the order of their codes.
var (
	// StaleOutput is reported for files whose kind is no longer generated.
	StaleOutput = &diag.Kind{
		Code: "SG501", Severity: diag.Warning, Title: "a file that belongs to no kind any more",
		Explanation: "The output directory has a CRD of one of the run's groups that schemagen wrote and that no kind produces any more. --prune removes such files, if the CRD carries schemagen's version annotation and the file has its name and nothing else in it. It is a note, and the file stays, if a Go file of the project still declares the kind: in a package that the run is not about, behind a build tag, or with a marker that leaves it out.",
	}
	foreignKustomization = &diag.Kind{
		Code: "SG504", Title: "a kustomization that somebody wrote",
		Explanation: "--kustomize writes kustomization.yaml into the output directory. The one that is there does not begin as those of schemagen do, so that it is not replaced; and two in one directory are refused by kustomize. Write the CRDs to a directory of their own, such as bases, and name that in yours.",
	}
	missingHelmValues = &diag.Kind{
		Code: "SG505", Severity: diag.Warning, Title: "values of a chart without the switches of its CRDs",
		Explanation: "Templates that --helm writes install the CRDs where the values have crds.install, and let them stay when the release is uninstalled where they have crds.keep. Both are booleans in values.yaml of the chart.",
	}
	largeHelmRelease = &diag.Kind{
		Code: "SG506", Severity: diag.Warning, Title: "CRDs that nearly fill a Helm release",
		Explanation: "Helm keeps each release in a Secret of at most 1 MiB: the files of the chart, compressed and in base64, and what templates render to. The size is that of the CRDs of this run alone. Descriptions are most of it: --max-desc-len shortens them, 0 removes them.",
	}
)

// Codes returns the kinds of diagnostics that this package reports, in the order of their
// codes.
func Codes() []*diag.Kind {
	return []*diag.Kind{StaleOutput, foreignKustomization, missingHelmValues, largeHelmRelease}
}
