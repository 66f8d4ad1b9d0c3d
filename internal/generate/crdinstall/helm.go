package crdinstall

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/schemagen/schemagen/internal/define"
)

// HelmReleaseLimit is the maximum number of bytes of a Helm release, which is stored in a
// Secret, whose size the API server limits (corev1.MaxSecretSize).
const HelmReleaseLimit = 1 << 20

// keepLine is the annotation that makes Helm keep an object when its release is uninstalled
// or no longer contains it.
const keepLine = "    helm.sh/resource-policy: keep\n"

// HelmTemplate returns a Helm template that renders to a document of [define.Make], byte
// for byte except for leading blanks, if the values set crds.install, and adds the annotation
// that keeps the definition if they set crds.keep. Text of the document that looks like a
// template is escaped.
func HelmTemplate(document []byte) []byte {
	text := strings.ReplaceAll(string(document), "{{", `{{ "{{" }}`)
	if !strings.Contains(text, "\n"+keepLine) {
		text = keptIfWanted(text)
	}
	return []byte(helmBegin + text + helmEnd)
}

// HelmDocument returns the document from which [HelmTemplate] made a template.
func HelmDocument(template []byte) (document []byte, ok bool) {
	text, begins := strings.CutPrefix(string(template), helmBegin)
	text, ends := strings.CutSuffix(text, helmEnd)
	if !begins || !ends {
		return nil, false
	}
	for _, added := range []string{keepAnnotation, keepAnnotations} {
		text = strings.Replace(text, added, "", 1)
	}
	document = []byte(strings.ReplaceAll(text, `{{ "{{" }}`, "{{"))
	return document, string(HelmTemplate(document)) == string(template)
}

// The parts of a template around a document, and around the annotation alone or together
// with the annotations key.
const (
	helmBegin       = "{{- if .Values.crds.install -}}\n"
	helmEnd         = "{{ end -}}\n"
	keepAnnotation  = "    {{- if .Values.crds.keep }}\n" + keepLine + "    {{- end }}\n"
	keepAnnotations = "  {{- if .Values.crds.keep }}\n  annotations:\n" + keepLine + "  {{- end }}\n"
)

// keptIfWanted inserts the condition with the annotation into a document, whose other
// annotations, if any, come first in its metadata.
func keptIfWanted(text string) string {
	const metadata, annotations = "\nmetadata:\n", "  annotations:\n"
	if strings.Contains(text, metadata+annotations) {
		return strings.Replace(text, metadata+annotations, metadata+annotations+keepAnnotation, 1)
	}
	return strings.Replace(text, metadata, metadata+keepAnnotations, 1)
}

// HelmReleaseSize returns the number of bytes that the files of a chart add to a Helm
// release. A release contains templates both as source and rendered.
func HelmReleaseSize(files []define.File, templates bool) (int, error) {
	// This follows encodeRelease in Helm's pkg/storage/driver, with the fields of
	// chart.File and release.Release that take up space.
	type file struct {
		Name string `json:"name"`
		Data []byte `json:"data"`
	}
	var release struct {
		Manifest string `json:"manifest"`
		Files    []file `json:"files"`
	}
	for _, f := range files {
		data := f.Data
		if templates {
			release.Manifest += string(f.Data)
			data = HelmTemplate(f.Data)
		}
		release.Files = append(release.Files, file{f.Name, data})
	}
	text, err := json.Marshal(release)
	if err != nil {
		return 0, err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return 0, err
	}
	if _, err := w.Write(text); err != nil {
		return 0, err
	}
	if err := w.Close(); err != nil {
		return 0, err
	}
	return base64.StdEncoding.EncodedLen(packed.Len()), nil
}
