package kubebuilder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
)

// Name and Version identify the plugin, as in --plugins schemagen.github.io/v1.
const (
	Name    = "schemagen.github.io"
	Version = "v1"
)

// protocolVersion is the version of the protocol.
const protocolVersion = "v1alpha1"

// maxRequest is the size of the largest request. Kubebuilder sends all files of a project, even
// files that git does not track.
const maxRequest = 1 << 30

// request is what Kubebuilder sends, of which the plugin reads a part: the JSON of type
// PluginRequest in sigs.k8s.io/kubebuilder/v4/pkg/plugin/external.
type request struct {
	version string
	command string
	// args are the arguments of the command line; of metadata and flags, the command that is
	// asked about.
	args []string
	// files are the files of the project, by their slash-separated path. Only files that the plugin
	// reads have their content.
	files map[string][]byte
}

// response is what Kubebuilder reads: the JSON of its type PluginResponse.
type response struct {
	APIVersion string            `json:"apiVersion"`
	Command    string            `json:"command"`
	Metadata   metadata          `json:"metadata"`
	Universe   map[string]string `json:"universe"`
	Error      bool              `json:"error,omitempty"`
	ErrorMsgs  []string          `json:"errorMsgs,omitempty"`
}

// metadata is the help of a command.
type metadata struct {
	Description string
	Examples    string
}

// readRequest reads a request. Files are read one after the other, so no more than the largest
// is in memory.
func readRequest(source io.Reader, limit int64) (request, error) {
	limited := &io.LimitedReader{R: source, N: limit}
	dec := json.NewDecoder(limited)
	r := request{files: map[string][]byte{}}
	err := r.read(dec)
	switch {
	case err != nil && limited.N <= 0:
		return r, fmt.Errorf("the request is larger than %d MiB: it has all files of the project; move large ones, such as those in bin, elsewhere", limit>>20)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return r, errors.New("the request is incomplete")
	case err != nil:
		return r, fmt.Errorf("the request is not one of Kubebuilder: %w", err)
	case r.version != protocolVersion:
		return r, fmt.Errorf("the request has apiVersion %q; this plugin supports %s", r.version, protocolVersion)
	}
	return r, nil
}

func (r *request) read(dec *json.Decoder) error {
	return eachMember(dec, func(key string) error {
		switch key {
		case "apiVersion":
			return dec.Decode(&r.version)
		case "command":
			return dec.Decode(&r.command)
		case "args":
			return dec.Decode(&r.args)
		case "universe":
			return eachMember(dec, func(name string) error {
				var content string
				if err := dec.Decode(&content); err != nil {
					return err
				}
				r.file(name, content)
				return nil
			})
		}
		var ignored json.RawMessage
		return dec.Decode(&ignored)
	})
}

// file adds a file of the project.
func (r *request) file(name, content string) {
	name = path.Clean(filepath.ToSlash(name))
	if !filepath.IsLocal(filepath.FromSlash(name)) || name == "." || strings.HasPrefix(name, ".git/") {
		return
	}
	var data []byte
	if slices.Contains(filesRead(), name) || path.Dir(name) == workflowDir {
		data = []byte(content)
	}
	r.files[name] = data
}

// eachMember calls a function for each member of an object, which decodes the value. It accepts
// null in place of an object.
func eachMember(dec *json.Decoder, member func(key string) error) error {
	begin, err := dec.Token()
	if err != nil || begin == nil {
		return err
	}
	if begin != json.Delim('{') {
		return fmt.Errorf("got %v where an object begins", begin)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		if err := member(name); err != nil {
			return err
		}
	}
	_, err = dec.Token()
	return err
}

// write writes a response.
func (r *response) write(target io.Writer) error {
	r.APIVersion = protocolVersion
	if r.Universe == nil {
		r.Universe = map[string]string{}
	}
	data, err := plainjson.Marshal(r)
	if err != nil {
		return err
	}
	_, err = target.Write(append(data, '\n'))
	return err
}
