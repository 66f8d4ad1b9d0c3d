package main

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx/v2/common"
	"github.com/spdx/tools-golang/spdx/v2/v2_3"
)

// sbom lists what is linked into the binary of an archive, from the binary's own build
// information, as an SPDX document.
func (r *release) sbom(b *bundle, archive file) (file, error) {
	main := b.info.Main
	program := r.goModule("Package-0", main.Path, main.Version, r.license)
	program.PackageFileName = archive.name
	program.PackageChecksums = []common.Checksum{{Algorithm: common.SHA256, Value: digest(archive.data)}}
	doc := &v2_3.Document{
		SPDXVersion: v2_3.Version, DataLicense: v2_3.DataLicense, SPDXIdentifier: "DOCUMENT",
		DocumentName:      b.stem,
		DocumentNamespace: "https://" + r.repository + "/spdx/" + b.stem + "-" + digest(b.data),
		CreationInfo: &v2_3.CreationInfo{
			Creators: []common.Creator{{CreatorType: "Organization", Creator: r.name}, {CreatorType: "Tool", Creator: r.repository + "/tools/release"}},
			Created:  r.commit.date.Format(time.RFC3339),
		},
		Packages:      []*v2_3.Package{program},
		Relationships: []*v2_3.Relationship{relation("DOCUMENT", common.TypeRelationshipDescribe, "Package-0")},
	}
	add := func(path, version, license string) {
		id := "Package-" + strconv.Itoa(len(doc.Packages))
		doc.Packages = append(doc.Packages, r.goModule(id, path, version, license))
		doc.Relationships = append(doc.Relationships, relation("Package-0", common.TypeRelationshipStaticLink, id))
	}
	add("stdlib", strings.TrimPrefix(b.info.GoVersion, "go"), b.licenses.expression("std"))
	for _, m := range b.info.Deps {
		add(m.Path, m.Version, b.licenses.expression(m.Path))
	}
	var out bytes.Buffer
	err := spdxjson.Write(doc, &out, spdxjson.Indent("  "))
	return file{name: archive.name + ".spdx.json", data: out.Bytes()}, err
}

func (r *release) goModule(id, path, version, license string) *v2_3.Package {
	return &v2_3.Package{
		PackageName: path, PackageSPDXIdentifier: common.ElementID(id), PackageVersion: version,
		PackageDownloadLocation: "NOASSERTION", PackageLicenseConcluded: license, PackageLicenseDeclared: license,
		PackageCopyrightText: "NOASSERTION",
		PackageExternalReferences: []*v2_3.PackageExternalReference{{
			Category: common.CategoryPackageManager, RefType: common.TypePackageManagerPURL,
			Locator: "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B"),
		}},
	}
}

func relation(from, kind, to string) *v2_3.Relationship {
	return &v2_3.Relationship{RefA: common.MakeDocElementID("", from), Relationship: kind, RefB: common.MakeDocElementID("", to)}
}
