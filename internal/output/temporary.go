package output

import (
	"errors"
	"os"
)

// Temporary writes data to a file outside the project, which remove deletes.
func Temporary(data []byte) (name string, remove func(), err error) {
	file, err := os.CreateTemp("", "schemagen-*.json")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.Remove(file.Name()) }
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err != nil {
		remove()
		return "", nil, err
	}
	return file.Name(), remove, nil
}
