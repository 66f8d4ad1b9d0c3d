package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"
)

// file is a file of the release, or of an archive of it.
type file struct {
	name       string // slash-separated
	data       []byte
	executable bool
}

func (f file) mode() int64 {
	if f.executable {
		return 0o755
	}
	return 0o644
}

// bundle is what is packed for one target.
type bundle struct {
	binary
	stem     string // file name without extension
	files    []file
	licenses licenseList
}

// archive packs the files: as zip for Windows, otherwise as tar.gz. All have the date of
// the commit, and no owner.
func (b *bundle) archive(date time.Time) (file, error) {
	slices.SortFunc(b.files, func(x, y file) int { return cmp.Compare(x.name, y.name) })
	var buffer bytes.Buffer
	extension, write := ".tar.gz", writeTarGz
	if b.os == "windows" {
		extension, write = ".zip", writeZip
	}
	err := write(&buffer, b.files, date)
	return file{name: b.stem + extension, data: buffer.Bytes()}, err
}

func writeTarGz(out io.Writer, files []file, date time.Time) error {
	compressed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := writeTar(compressed, files, date); err != nil {
		return err
	}
	return compressed.Close()
}

func writeTar(out io.Writer, files []file, date time.Time) error {
	w := tar.NewWriter(out)
	made := map[string]bool{".": true}
	for _, f := range files {
		if err := makeDirs(w, made, path.Dir(f.name), date); err != nil {
			return err
		}
		header := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode(), Size: int64(len(f.data)), ModTime: date, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(header); err != nil {
			return err
		}
		if _, err := w.Write(f.data); err != nil {
			return err
		}
	}
	return w.Close()
}

func makeDirs(w *tar.Writer, made map[string]bool, dir string, date time.Time) error {
	if made[dir] {
		return nil
	}
	made[dir] = true
	if err := makeDirs(w, made, path.Dir(dir), date); err != nil {
		return err
	}
	return w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755, ModTime: date, Format: tar.FormatUSTAR})
}

func writeZip(out io.Writer, files []file, date time.Time) error {
	w := zip.NewWriter(out)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date}
		part, err := w.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := part.Write(f.data); err != nil {
			return err
		}
	}
	return w.Close()
}

func digest(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// checksums returns the file that sha256sum --check reads.
func checksums(name string, files []file) file {
	var text strings.Builder
	for _, f := range slices.SortedFunc(slices.Values(files), func(x, y file) int { return cmp.Compare(x.name, y.name) }) {
		fmt.Fprintf(&text, "%s  %s\n", digest(f.data), f.name)
	}
	return file{name: name, data: []byte(text.String())}
}
