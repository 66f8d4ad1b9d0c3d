package main

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// writeImage returns an image of the Linux binaries as an OCI layout in a tar file, or nil
// if there are none. Its file system has only the program and the licences.
func (r *release) writeImage(bundles []*bundle, version string) (*file, error) {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	count := 0
	for _, b := range bundles {
		if b.os != "linux" {
			continue
		}
		image, err := r.platformImage(b, version)
		if err != nil {
			return nil, err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        image,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: b.os, Architecture: b.arch}},
		})
		count++
	}
	if count == 0 {
		return nil, nil
	}
	dir := filepath.Join(r.temp, "image")
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		return nil, err
	}
	// The name under which docker load and podman load import it.
	named := layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": tagOf(version), "io.containerd.image.name": r.image + ":" + tagOf(version)})
	if err := path.AppendIndex(index, named); err != nil {
		return nil, err
	}
	var files []file
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		data, err := os.ReadFile(name)
		files = append(files, file{name: filepath.ToSlash(rel), data: data})
		return err
	})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = writeTar(&out, files, r.commit.date)
	return &file{name: r.name + "_" + strings.TrimPrefix(version, "v") + "_image.tar", data: out.Bytes()}, err
}

// tagOf returns a version as the tag of an image, in which a plus is not allowed.
func tagOf(version string) string { return strings.ReplaceAll(version, "+", "_") }

func (r *release) platformImage(b *bundle, version string) (v1.Image, error) {
	var contents bytes.Buffer
	var files []file
	for _, f := range b.files {
		switch {
		case f.executable:
			f.name = "usr/bin/" + f.name
		case f.name == "LICENSE" || f.name == "THIRD_PARTY_LICENSES":
			f.name = "usr/share/doc/" + r.name + "/" + f.name
		default:
			continue
		}
		files = append(files, f)
	}
	if err := writeTar(&contents, files, r.commit.date); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(contents.Bytes())), nil }, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err = mutate.Append(image, mutate.Addendum{Layer: layer, History: v1.History{CreatedBy: r.repository + "/tools/release", Created: v1.Time{Time: r.commit.date}}})
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = b.os, b.arch, v1.Time{Time: r.commit.date}
	config.Config = v1.Config{
		Entrypoint: []string{"/usr/bin/" + r.name},
		Env:        []string{"PATH=/usr/bin", "HOME=/"},
		WorkingDir: "/work",
		User:       "65532:65532",
		Labels: map[string]string{
			"org.opencontainers.image.title":       r.name,
			"org.opencontainers.image.description": r.description,
			"org.opencontainers.image.source":      "https://" + r.repository,
			"org.opencontainers.image.version":     version,
			"org.opencontainers.image.revision":    r.commit.hash,
			"org.opencontainers.image.licenses":    r.license,
		},
	}
	return mutate.ConfigFile(image, config)
}
