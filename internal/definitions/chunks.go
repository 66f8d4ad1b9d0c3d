package definitions

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/schemagen/schemagen/crd"
)

const (
	// chunkBytes is the size in bytes from which a chunk ends at the end of its document.
	chunkBytes = 256 << 10
	// maxChunkBytes is the size at which reading stops. It exceeds the size limit of a
	// document, so that the decoder reports the document as too large.
	maxChunkBytes = 64<<20 + 1
)

// Chunks yields the file, or standard input, in chunks of a few documents, so that a file may
// hold any number of objects.
func (s Source) Chunks(stdin io.Reader) iter.Seq2[crd.File, error] {
	return func(yield func(crd.File, error) bool) {
		input := stdin
		if s.Name != "-" {
			file, err := os.Open(s.Name)
			if err != nil {
				yield(crd.File{}, err)
				return
			}
			defer file.Close() // opened for reading only
			input = file
		}
		err := s.split(input, func(c crd.File) bool { return yield(c, nil) })
		if err != nil && s.Name == "-" {
			err = fmt.Errorf("standard input: %w", err)
		}
		if err != nil {
			yield(crd.File{}, err)
		}
	}
}

// split yields chunks of whole documents, until yield returns false. Comments and directives stay
// with the document that follows them.
func (s Source) split(input io.Reader, yield func(crd.File) bool) error {
	reader := bufio.NewReaderSize(input, 64<<10)
	c := crd.File{Name: s.Name, Mixed: s.Found}
	line := 0
	begun := false
	atStart := true
	for {
		part, err := reader.ReadSlice('\n')
		if len(part) > 0 && atStart {
			if len(c.Data) >= chunkBytes && begun && beginsDocument(part) {
				if !yield(c) {
					return nil
				}
				c.Data = nil
				c.LineOffset = line
				begun = false
			}
			begun = begun || part[0] != '#' && part[0] != '%' && len(bytes.TrimSpace(part)) > 0
		}
		c.Data = append(c.Data, part...)
		atStart = err == nil
		switch {
		case err == nil:
			line++
		case errors.Is(err, io.EOF):
			if len(c.Data) > 0 {
				yield(c)
			}
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
		if len(c.Data) > maxChunkBytes {
			yield(c)
			return nil
		}
	}
}

func beginsDocument(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) && (len(line) == 3 || bytes.IndexByte([]byte(" \t\r\n"), line[3]) >= 0)
}
