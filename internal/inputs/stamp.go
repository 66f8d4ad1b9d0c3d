package inputs

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
)

// stamp tells states of a file apart without its content. The zero stamp tells
// nothing.
type stamp struct {
	device, inode, size uint64
	modified, changed   int64
}

// settled is how long ago a file must have changed for its stamp to count: longer
// than any file system's clock takes to tick.
const settled = 2 * time.Second

// stampOf returns the stamp of a file, or the zero stamp if the next change could
// leave the same one.
func stampOf(info fs.FileInfo) stamp {
	s, ok := systemStamp(info)
	if !ok || time.Since(time.Unix(0, s.changed)) < settled {
		return stamp{}
	}
	return s
}

// State is what the system says of a file, to tell it from what another one, or this one
// after a change, has in its place. It is the same for all files where the system does not
// know when a file was changed.
func State(info fs.FileInfo) string {
	s, _ := systemStamp(info)
	return s.String()
}

// stampOfOpen returns the stamp of a file that was opened after info was asked for.
// There is none while somebody may write to it through memory: only the first such
// write to a page changes the times.
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

// String is the stamp without blanks.
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
