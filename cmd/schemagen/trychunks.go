package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/schemagen/schemagen/diag"
)

// chunk is some documents of a file.
type chunk struct {
	data []byte
	// line counts the lines before it.
	line int
}

const (
	// chunkBytes is the size from which on a chunk ends with its document.
	chunkBytes = 256 << 10
	// maxChunkBytes is more than is read of a document; what reads it says so.
	maxChunkBytes = 64<<20 + 1
)

// chunks reads a file, or standard input, document by document, so that a file may
// hold any number of objects.
func chunks(source manifestSource, stdin io.Reader) iter.Seq2[chunk, error] {
	return func(yield func(chunk, error) bool) {
		in := stdin
		if source.name != "-" {
			file, err := os.Open(source.name)
			if err != nil {
				yield(chunk{}, err)
				return
			}
			defer file.Close() // it was only read
			in = file
		}
		err := splitChunks(in, func(c chunk) bool { return yield(c, nil) })
		if err != nil && source.name == "-" {
			err = fmt.Errorf("standard input: %w", err)
		}
		if err != nil {
			yield(chunk{}, err)
		}
	}
}

// splitChunks yields what is between lines that begin a document, as long as it is
// wanted. Comments and directives stay with the document that they stand before.
func splitChunks(in io.Reader, yield func(chunk) bool) error {
	reader := bufio.NewReaderSize(in, 64<<10)
	var c chunk
	line, begun, atStart := 0, false, true
	for {
		part, err := reader.ReadSlice('\n')
		if len(part) > 0 && atStart {
			if len(c.data) >= chunkBytes && begun && beginsDocument(part) {
				if !yield(c) {
					return nil
				}
				c, begun = chunk{line: line}, false
			}
			begun = begun || part[0] != '#' && part[0] != '%' && len(bytes.TrimSpace(part)) > 0
		}
		c.data = append(c.data, part...)
		atStart = err == nil
		switch {
		case err == nil:
			line++
		case errors.Is(err, io.EOF):
			if len(c.data) > 0 {
				yield(c)
			}
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
		if len(c.data) > maxChunkBytes {
			yield(c)
			return nil
		}
	}
}

func beginsDocument(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) && (len(line) == 3 || bytes.IndexByte([]byte(" \t\r\n"), line[3]) >= 0)
}

// inFile is a position of a chunk in its file.
func (c chunk) inFile(pos diag.Position) diag.Position {
	if pos.Line > 0 {
		pos.Line += c.line
	}
	return pos
}

// allInFile are findings about a chunk.
func (c chunk) allInFile(findings diag.List) diag.List {
	for i := range findings {
		findings[i].Pos = c.inFile(findings[i].Pos)
		for j := range findings[i].Related {
			findings[i].Related[j].Pos = c.inFile(findings[i].Related[j].Pos)
		}
	}
	return findings
}
