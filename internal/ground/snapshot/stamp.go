package snapshot

import (
	"io/fs"
	"time"
)

// Stamp identifies the state of a file without its content. The zero stamp identifies
// nothing.
type Stamp struct {
	Device, Inode, Size uint64
	// Modified and Changed are in nanoseconds since 1970.
	Modified, Changed int64
}

// Settled is the minimum age of a file's last change for its stamp to count: longer than
// the clock granularity of any file system.
const Settled = 2 * time.Second

// StampOf returns the stamp of a file, or the zero stamp if the next change could result
// in the same one, or if the system has no change time that cannot be set.
func StampOf(info fs.FileInfo, now time.Time) Stamp { return SystemStamp(info).settled(now) }

// settled returns the stamp, or the zero stamp if the next change could result in the same
// one.
func (s Stamp) settled(now time.Time) Stamp {
	if now.Sub(time.Unix(0, s.Changed)) < Settled {
		return Stamp{}
	}
	return s
}

// Value returns the stamp as the value of a [Fact].
func (s Stamp) Value() string {
	b := make([]byte, 0, 5*8)
	for _, n := range [5]uint64{s.Device, s.Inode, s.Size, uint64(s.Modified), uint64(s.Changed)} {
		b = appendNumber(b, n)
	}
	return string(b)
}

// stampOfValue returns the stamp with a value, or the zero stamp.
func stampOfValue(value string) Stamp {
	d := decoder{rest: value}
	s := Stamp{d.number(), d.number(), d.number(), int64(d.number()), int64(d.number())}
	if d.broken || d.rest != "" {
		return Stamp{}
	}
	return s
}
