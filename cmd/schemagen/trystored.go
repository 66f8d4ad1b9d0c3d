package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// storedObjects are the objects that others replace. They lie in a file that is
// removed at the end, because there may be any number; only their names are held.
type storedObjects struct {
	file *os.File
	size int64
	at   map[objectKey]span
}

// span is a part of a file.
type span struct {
	from int64
	size int
}

// readOld reads the stored objects.
func (t *trial) readOld() error {
	if t.old == "" {
		return nil
	}
	sources, packages, err := findSources([]string{t.old})
	if err != nil {
		return err
	}
	if len(packages) > 0 {
		return fmt.Errorf("--old %s: no such file or directory", t.old)
	}
	if t.olds, err = newStoredObjects(); err != nil {
		return err
	}
	for _, source := range sources {
		for c, err := range chunks(source, t.stdin) {
			if err != nil {
				return errors.Join(err, t.olds.close())
			}
			objects, findings := readObjects(source, c)
			t.findings = append(t.findings, findings...)
			for _, o := range objects {
				if err := t.olds.put(o.key(), o.object); err != nil {
					return errors.Join(err, t.olds.close())
				}
			}
		}
	}
	return nil
}

func newStoredObjects() (*storedObjects, error) {
	file, err := os.CreateTemp("", "schemagen-stored-*.json")
	if err != nil {
		return nil, err
	}
	return &storedObjects{file: file, at: map[objectKey]span{}}, nil
}

// close removes the file.
func (s *storedObjects) close() error {
	if s == nil {
		return nil
	}
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}

// put stores an object; of two with a name, the later one stays.
func (s *storedObjects) put(key objectKey, object map[string]any) error {
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	if _, err := s.file.WriteAt(text, s.size); err != nil {
		return err
	}
	s.at[key.clone()] = span{s.size, len(text)}
	s.size += int64(len(text))
	return nil
}

// get returns the object of a name, nil if there is none. It may be called side by
// side.
func (s *storedObjects) get(key objectKey) (map[string]any, error) {
	if s == nil {
		return nil, nil
	}
	at, ok := s.at[key]
	if !ok {
		return nil, nil
	}
	text := make([]byte, at.size)
	if _, err := s.file.ReadAt(text, at.from); err != nil {
		return nil, err
	}
	object := map[string]any{}
	err := utiljson.Unmarshal(text, &object)
	return object, err
}
