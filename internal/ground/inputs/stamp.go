package inputs

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/schemagen/schemagen/internal/ground/snapshot"
)

type stamp = snapshot.Stamp

const settled = snapshot.Settled

// stampOf returns the stamp of a file, or the zero stamp if the next change could result
// in the same one.
func stampOf(info fs.FileInfo) stamp { return snapshot.StampOf(info, time.Now()) }

// State returns a text from the system's metadata that distinguishes a file from another
// file in its place and from itself after a change. It is the same for all files on systems
// without a change time.
func State(info fs.FileInfo) string { return stampText(snapshot.SystemStamp(info)) }

// stampOfOpen returns the stamp of a file that was opened after info was obtained. It
// returns the zero stamp while a process may write to mapped memory: only the first such
// write to a page updates the times.
func stampOfOpen(f *os.File, info fs.FileInfo) stamp {
	s := stampOf(info)
	if s != (stamp{}) && hasWriter(f) {
		return stamp{}
	}
	return s
}

func stampNow(name string) stamp {
	info, err := os.Stat(name)
	if err != nil {
		return stamp{}
	}
	return stampOf(info)
}

// stampText returns a stamp as text without spaces.
func stampText(s stamp) string { return string(appendStamp(nil, s)) }

func appendStamp(b []byte, s stamp) []byte {
	if s == (stamp{}) {
		return append(b, '-')
	}
	for _, n := range [...]uint64{s.Device, s.Inode, s.Size} {
		b = append(strconv.AppendUint(b, n, 16), '.')
	}
	b = append(strconv.AppendInt(b, s.Modified, 16), '.')
	return strconv.AppendInt(b, s.Changed, 16)
}

func parseStamp(text string) (s stamp, err error) {
	if text == "-" {
		return s, nil
	}
	parts := strings.Split(text, ".")
	if len(parts) != 5 {
		return s, fmt.Errorf("stamp %q", text)
	}
	for i, target := range []*uint64{&s.Device, &s.Inode, &s.Size} {
		*target, err = strconv.ParseUint(parts[i], 16, 64)
		if err != nil {
			return s, err
		}
	}
	for i, target := range []*int64{&s.Modified, &s.Changed} {
		*target, err = strconv.ParseInt(parts[3+i], 16, 64)
		if err != nil {
			return s, err
		}
	}
	return s, nil
}
