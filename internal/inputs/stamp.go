package inputs

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
)

// stamp identifies the state of a file without its content. The zero stamp identifies
// nothing.
type stamp struct {
	device, inode, size uint64
	modified, changed   int64
}

// settled is the minimum age of a file's last change for its stamp to count: longer than
// the clock granularity of any file system.
const settled = 2 * time.Second

// stampOf returns the stamp of a file, or the zero stamp if the next change could result
// in the same one.
func stampOf(info fs.FileInfo) stamp {
	s, ok := systemStamp(info)
	if !ok || time.Since(time.Unix(0, s.changed)) < settled {
		return stamp{}
	}
	return s
}

// State returns a text from the system's metadata that distinguishes a file from another
// file in its place and from itself after a change. It is the same for all files on systems
// without a change time.
func State(info fs.FileInfo) string {
	s, _ := systemStamp(info)
	return s.String()
}

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

// String returns the stamp as text without spaces.
func (s stamp) String() string {
	if s == (stamp{}) {
		return "-"
	}
	return fmt.Sprintf("%x.%x.%x.%x.%x", s.device, s.inode, s.size, s.modified, s.changed)
}

func parseStamp(text string) (s stamp, err error) {
	if text == "-" {
		return s, nil
	}
	parts := strings.Split(text, ".")
	if len(parts) != 5 {
		return s, fmt.Errorf("stamp %q", text)
	}
	for i, to := range []*uint64{&s.device, &s.inode, &s.size} {
		if *to, err = strconv.ParseUint(parts[i], 16, 64); err != nil {
			return s, err
		}
	}
	for i, to := range []*int64{&s.modified, &s.changed} {
		if *to, err = strconv.ParseInt(parts[3+i], 16, 64); err != nil {
			return s, err
		}
	}
	return s, nil
}
