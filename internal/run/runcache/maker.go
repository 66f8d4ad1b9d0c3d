package runcache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/inputs"
)

// makerName identifies a build of this program: by what it was built from and, if that
// includes a working tree or a local module, by the file itself.
func makerName(version string) (string, error) {
	info, ok := debug.ReadBuildInfo()
	if ok && isReleased(info) {
		return info.String(), nil
	}
	// The running file, even if its path now names another one.
	file, err := os.Open("/proc/self/exe")
	if err != nil {
		name, err := os.Executable()
		if err != nil {
			return "", err
		}
		file, err = os.Open(name)
		if err != nil {
			return "", err
		}
	}
	defer file.Close()
	return buildName(file, version)
}

// isReleased reports whether the versions in the build information identify everything
// that the program was built from.
func isReleased(info *debug.BuildInfo) bool {
	for _, module := range append(info.Deps, &info.Main) {
		if module.Replace != nil {
			module = module.Replace
		}
		if module.Sum == "" || strings.HasSuffix(module.Version, "+dirty") {
			return false
		}
	}
	return true
}

// buildName distinguishes the file of a program from those of other builds: by its build
// ID, which the linker derives from its content, and by the state of the file, in case it
// was changed since.
func buildName(file *os.File, version string) (string, error) {
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	id, err := buildID(file)
	if err != nil {
		return "", err
	}
	return fmt.Sprint(version, " ", id, " ", info.Size(), " ", info.ModTime().UnixNano(), " ", inputs.State(info)), nil
}

// buildID returns the build ID that the linker put near the beginning of a program or, if
// there is none, the hash of the whole file.
func buildID(file *os.File) (string, error) {
	head := make([]byte, 64<<10)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	head = head[:n]
	if _, tail, ok := bytes.Cut(head, []byte("\xff Go build ID: \"")); ok {
		if id, _, ok := bytes.Cut(tail, []byte("\"\n \xff")); ok && len(id) > 0 {
			return string(id), nil
		}
	}
	// An ELF note: the sizes of its name and text, type 4, name, text.
	if offset := bytes.Index(head, []byte("\x04\x00\x00\x00Go\x00\x00")); offset >= 8 {
		size := int(binary.NativeEndian.Uint32(head[offset-4:]))
		text := head[offset+8:]
		if size > 0 && size <= len(text) {
			return string(text[:size]), nil
		}
	}
	sum := sha256.New()
	_, _ = sum.Write(head)
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), nil
}
