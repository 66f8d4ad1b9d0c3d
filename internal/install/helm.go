package install

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/schemagen/schemagen/generator/driver"
)

// HelmReleaseLimit is how many bytes Helm can keep of a release: it writes them
// into a Secret, whose data the API server limits (corev1.MaxSecretSize).
const HelmReleaseLimit = 1 << 20

// keepLine is the annotation with which Helm leaves an object alone when the
// release that has it is uninstalled, or has it no more.
const keepLine = "    helm.sh/resource-policy: keep\n"

// HelmTemplate returns a template of a Helm chart that renders to a document of
// [generator.Run], byte for byte but for blanks in front of it, where the values have crds.install, with the
// annotation that keeps the definition where they have crds.keep. Text of the
// document that would be a template is none there.
func HelmTemplate(document []byte) []byte {
	text := strings.ReplaceAll(string(document), "{{", `{{ "{{" }}`)
	if !strings.Contains(text, "\n"+keepLine) {
		text = keptIfWanted(text)
	}
	return []byte(helmBegin + text + helmEnd)
}

// HelmDocument returns the document that a template was made of by [HelmTemplate].
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

// What a template has around a document, and for the annotation alone or with the key
// of annotations.
const (
	helmBegin       = "{{- if .Values.crds.install -}}\n"
	helmEnd         = "{{ end -}}\n"
	keepAnnotation  = "    {{- if .Values.crds.keep }}\n" + keepLine + "    {{- end }}\n"
	keepAnnotations = "  {{- if .Values.crds.keep }}\n  annotations:\n" + keepLine + "  {{- end }}\n"
)

// keptIfWanted puts the switch with the annotation into a document, whose other
// annotations, if it has some, come first in its metadata.
func keptIfWanted(text string) string {
	const metadata, annotations = "\nmetadata:\n", "  annotations:\n"
	if strings.Contains(text, metadata+annotations) {
		return strings.Replace(text, metadata+annotations, metadata+annotations+keepAnnotation, 1)
	}
	return strings.Replace(text, metadata, metadata+keepAnnotations, 1)
}

// HelmReleaseSize is how many bytes the files of a chart add to what Helm keeps of
// a release. Templates are in it twice, as they are and as what they render to.
func HelmReleaseSize(files []driver.File, templates bool) (int, error) {
	// As Helm's pkg/storage/driver does it (encodeRelease), of chart.File and
	// release.Release what takes space.
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
