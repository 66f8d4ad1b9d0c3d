package output

import (
	"errors"
	"os"
)

// Temporary puts data into a file outside of the project, until remove is called.
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
