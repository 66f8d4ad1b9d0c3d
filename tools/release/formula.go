package main

import (
	"bytes"
	_ "embed"
	"strings"
	"text/template"
)

//go:embed formula.rb.tmpl
var formulaText string

// formula returns the Homebrew formula, or nil if an archive that it installs was not
// built.
func (r *release) formula(version string, files []file) *file {
	model := struct {
		Class, Name, Description, Home, License, Version string
		Archives                                         map[string]struct{ URL, SHA256 string }
	}{
		Class: strings.ToUpper(r.name[:1]) + r.name[1:], Name: r.name, Description: r.description,
		Home: "https://" + r.repository, License: r.license, Version: strings.TrimPrefix(version, "v"),
		Archives: map[string]struct{ URL, SHA256 string }{},
	}
	for _, f := range files {
		for _, system := range []string{"darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64"} {
			if strings.HasSuffix(f.name, "_"+system+".tar.gz") {
				model.Archives[system] = struct{ URL, SHA256 string }{model.Home + "/releases/download/" + version + "/" + f.name, digest(f.data)}
			}
		}
	}
	if len(model.Archives) < 4 {
		return nil
	}
	var out bytes.Buffer
	// The template is part of the program, and its model has no methods that fail.
	if err := template.Must(template.New("").Parse(formulaText)).Execute(&out, model); err != nil {
		panic(err)
	}
	return &file{name: r.name + ".rb", data: out.Bytes()}
}
