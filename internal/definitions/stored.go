package definitions

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/internal/ground/temporary"
)

// StoredObjects are the objects that are updated. There may be any number of them, so
// they are kept in a temporary file, and only their names in memory.
type StoredObjects struct {
	file *os.File
	size int64
	at   map[dryrun.Key]span
}

// span is a part of a file.
type span struct {
	from int64
	size int
}

// ReadStored reads objects from a file, a directory or standard input ("-"), and returns
// findings about the files.
func ReadStored(name string, stdin io.Reader) (*StoredObjects, diag.List, error) {
	sources, packages, err := Find([]string{name})
	if err != nil {
		return nil, nil, err
	}
	if len(packages) > 0 {
		return nil, nil, fmt.Errorf("--old %s: no such file or directory", name)
	}
	olds, err := newStored()
	if err != nil {
		return nil, nil, err
	}
	var findings diag.List
	for _, source := range sources {
		for file, err := range source.Chunks(stdin) {
			if err != nil {
				return nil, nil, errors.Join(err, olds.Close())
			}
			objects, found := dryrun.ReadObjects(file)
			findings = append(findings, found...)
			for _, o := range objects {
				if err := olds.put(o.Key(), o.Value); err != nil {
					return nil, nil, errors.Join(err, olds.Close())
				}
			}
		}
	}
	return olds, findings, nil
}

func newStored() (*StoredObjects, error) {
	file, err := temporary.File(temporary.Stored)
	if err != nil {
		return nil, err
	}
	return &StoredObjects{file: file, at: map[dryrun.Key]span{}}, nil
}

// Close removes the file.
func (s *StoredObjects) Close() error {
	err := os.Remove(s.file.Name())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // a process that was idle for an hour is taken for one that was killed
	}
	return errors.Join(s.file.Close(), err)
}

// put stores an object, replacing an earlier one with the same key.
func (s *StoredObjects) put(key dryrun.Key, object map[string]any) error {
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	if _, err := s.file.WriteAt(text, s.size); err != nil {
		return err
	}
	// The key refers to text that is not kept in memory.
	key = dryrun.Key{Group: strings.Clone(key.Group), Kind: strings.Clone(key.Kind),
		Namespace: strings.Clone(key.Namespace), Name: strings.Clone(key.Name)}
	s.at[key] = span{s.size, len(text)}
	s.size += int64(len(text))
	return nil
}

// Get returns the object with a key, or nil. It is safe for concurrent use.
func (s *StoredObjects) Get(key dryrun.Key) (map[string]any, error) {
	span, ok := s.at[key]
	if !ok {
		return nil, nil
	}
	text := make([]byte, span.size)
	if _, err := s.file.ReadAt(text, span.from); err != nil {
		return nil, err
	}
	object := map[string]any{}
	err := utiljson.Unmarshal(text, &object)
	return object, err
}
