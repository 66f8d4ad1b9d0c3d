package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/inputs"
)

// The codes of the command line.
const (
	codeStale           diag.Code = "SG501"
	codeIgnore          diag.Code = "SG502"
	codeNothingToVerify diag.Code = "SG503"
	codeKustomization   diag.Code = "SG504"
	codeHelmValues      diag.Code = "SG505"
	codeHelmSize        diag.Code = "SG506"
	codeConfig          diag.Code = "SG507"
	codeUnusedWaiver    diag.Code = "SG508"
	codeObjectRefused   diag.Code = "SG701"
	codeDroppedField    diag.Code = "SG702"
	codeDefaulted       diag.Code = "SG703"
	codeCleared         diag.Code = "SG704"
	codeObjectWarning   diag.Code = "SG705"
	codeNoKind          diag.Code = "SG706"
	codeCaseFails       diag.Code = "SG707"
	codeSuite           diag.Code = "SG708"
	codeNotStored       diag.Code = "SG709"
	codeUnchecked       diag.Code = "SG710"
)

// commandCodes documents the codes that the command line itself reports.
func commandCodes() []diag.CodeInfo {
	return []diag.CodeInfo{
		{Code: codeStale, Severity: diag.Warning, Title: "a file that belongs to no kind any more",
			Explanation: "The output directory has a CRD of one of the run's groups that schemagen wrote and that no kind produces any more. --prune removes such files, if they carry schemagen's version annotation."},
		{Code: codeIgnore, Severity: diag.Warning, Title: "a comment that ignores nothing",
			Explanation: "# schemagen:ignore CODE reason takes back one code on its own and the next line, # schemagen:ignore-file CODE reason in the whole file; // in Go. The code must exist, a reason must be given, and there must be something to ignore."},
		{Code: codeNothingToVerify, Severity: diag.Warning, Title: "no CRD to verify",
			Explanation: "None of the files has a CustomResourceDefinition."},
		{Code: codeKustomization, Severity: diag.Error, Title: "a kustomization that somebody wrote",
			Explanation: "--kustomize writes kustomization.yaml into the output directory. The one that is there does not begin as those of schemagen do, so that it is not replaced; and two in one directory are refused by kustomize. Write the CRDs to a directory of their own, such as bases, and name that in yours."},
		{Code: codeHelmValues, Severity: diag.Warning, Title: "values of a chart without the switches of its CRDs",
			Explanation: "Templates that --helm writes install the CRDs where the values have crds.install, and let them stay when the release is uninstalled where they have crds.keep. Both are booleans in values.yaml of the chart."},
		{Code: codeHelmSize, Severity: diag.Warning, Title: "CRDs that nearly fill a Helm release",
			Explanation: "Helm keeps each release in a Secret of at most 1 MiB: the files of the chart, compressed and in base64, and what templates render to. The size is that of the CRDs of this run alone. Descriptions are most of it: --max-desc-len shortens them, 0 removes them."},
		{Code: codeConfig, Severity: diag.Error, Title: "a mistake in schemagen.yaml",
			Explanation: "A key is unknown or stands twice, a value is of the wrong type, or a path is not there. docs/config.md describes the file; --no-config does without it."},
		{Code: codeUnusedWaiver, Severity: diag.Warning, Title: "a waiver that takes nothing back",
			Explanation: "schemagen.yaml waives a code in files that have no such finding. A run of schemagen crd for all packages of the file says so, or schemagen verify of the files."},
		{Code: codeObjectRefused, Severity: diag.Error, Title: "the API server refuses the object",
			Explanation: "The message is the server's own, from its code. The related place is the rule or the field of the schema that refuses it."},
		{Code: codeDroppedField, Severity: diag.Warning, Title: "a field that is not stored",
			Explanation: "The API server prunes what the schema does not specify, and null where it is not nullable. With kubectl's strict validation an unknown field is refused instead."},
		{Code: codeDefaulted, Severity: diag.Note, Title: "a field that gets its default",
			Explanation: "The API server puts the defaults of the schema into objects that it is given and into those that it has stored."},
		{Code: codeCleared, Severity: diag.Note, Title: "a union member that is cleared",
			Explanation: "The discriminator has changed, and selects another member. The server itself clears nothing: a MutatingAdmissionPolicy that schemagen unions --policy writes does, or a webhook with the functions that it writes; see docs/unions.md."},
		{Code: codeObjectWarning, Severity: diag.Warning, Title: "the API server warns of the object",
			Explanation: "The object is stored. Most often a rule is violated by what has not changed, which the server lets be."},
		{Code: codeNoKind, Severity: diag.Error, Title: "an object without a CRD",
			Explanation: "None of the CRDs that are known serves the version of the object's kind. Of files that are met in a directory it is a note: they may be objects of other kinds."},
		{Code: codeCaseFails, Severity: diag.Error, Title: "a case of a test suite fails",
			Explanation: "The object is stored otherwise than the case expects, or is refused, or is not refused, or for another reason. The place is that of the first difference, of the first error, or of the expected error."},
		{Code: codeSuite, Severity: diag.Error, Title: "a test suite that cannot be run",
			Explanation: "A key is unknown, something is missing, or the CRD is not known. docs/try.md describes the format. A note is about what openshift's suites have and schemagen test does not need."},
		{Code: codeNotStored, Severity: diag.Warning, Title: "an object that is not among the stored ones",
			Explanation: "--old has no object of the same group, kind, namespace and name, so that the object is tried as one that is created. It is an error if it has one whose metadata no server can have stored."},
		{Code: codeUnchecked, Severity: diag.Warning, Title: "a rule that the API server has not got to",
			Explanation: "With errors of some kinds the API server does not evaluate the CEL rules of the schema. This one is violated, too, and would be the next error."},
	}
}

// staleFile is a file of ours that no kind produces any more.
type staleFile struct {
	path string
	// ours: the file carries our version annotation, so that it may be removed.
	ours bool
}

// staleFiles looks in the output directory for CRD files of the groups of the
// run that the run did not produce. Only files that say that schemagen wrote
// them count, or, where the annotation is left out, those that say nothing.
func staleFiles(in *inputs.Reader, dir string, files []generator.File, annotated bool) ([]staleFile, error) {
	var produced, groups []string
	for _, f := range files {
		produced = append(produced, f.Name)
		if group, _, ok := strings.Cut(f.Name, "_"); ok {
			groups = append(groups, group)
		}
	}
	entries, err := in.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []staleFile
	for _, entry := range entries {
		name := entry.Name()
		group, _, ok := strings.Cut(name, "_")
		if !ok || !strings.HasSuffix(name, ".yaml") || !entry.Type().IsRegular() || slices.Contains(produced, name) || !slices.Contains(groups, group) {
			continue
		}
		text, err := in.ReadFile(filepath.Join(dir, name), nil)
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(text, []byte("\nkind: CustomResourceDefinition\n")) {
			continue
		}
		_, value, found := bytes.Cut(text, []byte("\n    "+generator.VersionAnnotation+": "))
		ours := found && bytes.HasPrefix(value, []byte("schemagen-"))
		if ours || !found && !annotated {
			out = append(out, staleFile{filepath.Join(dir, name), ours})
		}
	}
	return out, nil
}

// stale returns the stale files that are to be removed, and reports the others.
func (r *crdRun) stale(files []generator.File) (remove []string, findings diag.List, err error) {
	if len(r.Kinds) > 0 || len(r.Groups) > 0 {
		return nil, nil, nil
	}
	var stale []staleFile
	for _, dir := range []string{r.output, r.helm} {
		if dir == "" || dir == "-" {
			continue
		}
		found, err := staleFiles(r.Inputs, dir, files, !r.OmitToolVersion)
		if err != nil {
			return nil, nil, fmt.Errorf("look for stale files: %w", err)
		}
		stale = append(stale, found...)
	}
	for _, f := range stale {
		if r.prune && f.ours {
			remove = append(remove, f.path)
			continue
		}
		hint := "remove it"
		if f.ours {
			hint = "remove it, or run with --prune"
		}
		findings = append(findings, diag.Diagnostic{Code: codeStale, Severity: diag.Warning,
			Pos: diag.Position{File: filepath.ToSlash(f.path)}, Message: "this file belongs to no kind any more", Hint: hint})
	}
	return remove, findings, nil
}

func removeAll(paths []string) error {
	for _, path := range paths {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("remove a stale file: %w", err)
		}
	}
	return nil
}
