package snapshot

// Entry is a file of the cache that holds how a process ended, and what that depends on.
type Entry struct {
	// Facts is never empty, because every run depends on something.
	Facts []Fact
	// From and Until are the times between which the entry is valid, in seconds since 1970.
	From, Until int64
	// Code is the exit code, Stdout and Stderr what is printed.
	Code           int
	Stdout, Stderr string
}

// Header is the beginning of each file in the cache.
const Header = "schemagen cache 1\n"

// Text returns the content of the entry's file, given its path.
func (e Entry) Text(path string) string {
	var b []byte
	for _, n := range [4]int64{e.From, e.Until, int64(e.Code), int64(len(e.Facts))} {
		b = appendNumber(b, uint64(n))
	}
	for _, f := range e.Facts {
		b = append(b, byte(f.About))
		b = appendText(appendText(b, f.Name), f.Value)
	}
	text := string(appendText(appendText(b, e.Stdout), e.Stderr))
	return Header + string(appendNumber(nil, checksum(path, text))) + text
}

// Parse parses the content of an entry's file, given its path.
func Parse(path, content string) (e Entry, ok bool) {
	d := decoder{rest: content}
	header := d.bytes(uint64(len(Header)))
	sum := d.number()
	if d.broken || header != Header || sum != checksum(path, d.rest) {
		return e, false
	}
	e.From = int64(d.number())
	e.Until = int64(d.number())
	e.Code = int(d.number())
	n := d.number()
	if n <= uint64(len(d.rest)) {
		e.Facts = make([]Fact, 0, n)
	}
	for ; n > 0 && !d.broken; n-- {
		about := d.bytes(1)
		if f := (Fact{Name: d.text(), Value: d.text()}); !d.broken {
			f.About = About(about[0])
			e.Facts = append(e.Facts, f)
		}
	}
	e.Stdout = d.text()
	e.Stderr = d.text()
	return e, !d.broken && d.rest == ""
}

// appendNumber appends the eight bytes of a number.
func appendNumber(b []byte, n uint64) []byte {
	for range 8 {
		b = append(b, byte(n))
		n >>= 8
	}
	return b
}

// appendText appends a text after its length.
func appendText(b []byte, text string) []byte {
	return append(appendNumber(b, uint64(len(text))), text...)
}

// decoder reads what appendNumber and appendText have written.
type decoder struct {
	rest   string
	broken bool
}

func (d *decoder) bytes(n uint64) string {
	d.broken = d.broken || n > uint64(len(d.rest))
	if d.broken {
		return ""
	}
	out := d.rest[:n]
	d.rest = d.rest[n:]
	return out
}

func (d *decoder) number() (n uint64) {
	text := d.bytes(8)
	for i := range len(text) {
		n |= uint64(text[i]) << (8 * i)
	}
	return n
}

func (d *decoder) text() string { return d.bytes(d.number()) }

// checksum detects damage. It is FNV-1a of the path and the text, which is fast without
// tables.
func checksum(path, text string) uint64 {
	sum := uint64(0xcbf29ce484222325)
	for _, part := range [2]string{path, text} {
		for i := range len(part) {
			sum = (sum ^ uint64(part[i])) * 0x100000001b3
		}
	}
	return sum
}
