package terminal

import (
	"strings"
)

// maxShown is the number of bytes of a long line that are considered for an excerpt, around
// the part that it is about.
const maxShown = 4 << 10

// excerpt is a line as a screen shows it: cut to a width, and the columns below which it is
// underlined.
type excerpt struct {
	text string
	// from and to are columns of text; to is the first one that is not underlined.
	from, to int
}

// cut is what replaces source that does not fit.
const cut = "…"

// newExcerpt returns the excerpt of a line in which the bytes from start to end are
// underlined; if these are equal, the place between two bytes. It has at most width columns.
func newExcerpt(line string, start, end, width int) excerpt {
	line, start, end, more := around(line, start, end)
	cells := cellsOf(line)
	columns := make([]int, len(cells)+1) // at which each cell begins
	begin := -1
	to := -1
	for i, c := range cells {
		columns[i+1] = columns[i] + c.width
		if begin < 0 && c.at+graphemeLength(cells, i, line) > start {
			begin = columns[i]
		}
		if c.at < end {
			to = columns[i+1]
		}
	}
	last := columns[len(cells)]
	if begin < 0 {
		begin = last
	}
	to = max(to, begin+1)
	first, stop := window(columns, begin, to, width, more)
	more.before = more.before || first > 0
	more.after = more.after || stop < len(cells)
	return render(cells, columns, first, stop, begin, to, more)
}

// rest tells on which sides of an excerpt its line continues.
type rest struct{ before, after bool }

// around limits a line to the bytes near the underlined ones. It reports whether there is
// more before and after them.
func around(line string, start, end int) (part string, newStart, newEnd int, more rest) {
	start = min(max(start, 0), len(line))
	end = min(max(end, start), len(line))
	first := max(0, start-maxShown)
	last := min(len(line), start+maxShown)
	for first > 0 && first < start && line[first]&0xc0 == 0x80 { // inside of a character
		first++
	}
	for last < len(line) && last > start && line[last]&0xc0 == 0x80 {
		last--
	}
	return line[first:last], start - first, min(end, last) - first, rest{before: first > 0, after: last < len(line)}
}

// graphemeLength returns the number of bytes of a cell's grapheme.
func graphemeLength(cells []cell, i int, line string) int {
	if i+1 < len(cells) {
		return cells[i+1].at - cells[i].at
	}
	return len(line) - cells[i].at
}

// window returns the range of cells to show. It begins at the line's start if the underlined
// columns are visible then.
func window(columns []int, start, end, width int, more rest) (first, stop int) {
	n := len(columns) - 1
	if !more.before && !more.after && columns[n] <= width {
		return 0, n
	}
	room := width - 2 // for both marks
	if more.before || end > room {
		wanted := max(0, start-room/3)
		if end-start < room*2/3 {
			wanted = max(0, min(wanted, columns[n]-room))
		}
		for first < n && columns[first] < wanted {
			first++
		}
	}
	for stop = first; stop < n && columns[stop+1]-columns[first] <= room; {
		stop++
	}
	return first, stop
}

// render joins the shown cells.
func render(cells []cell, columns []int, first, stop, start, last int, more rest) excerpt {
	var b strings.Builder
	shift := -columns[first]
	if more.before {
		b.WriteString(cut)
		shift += widthOf(cut)
	}
	for _, c := range cells[first:stop] {
		b.WriteString(c.text)
	}
	end := columns[stop] + shift
	e := excerpt{from: max(0, start+shift), to: last + shift}
	if more.after {
		b.WriteString(cut)
		e.to = min(e.to, end+1) // the mark belongs to what is underlined beyond it
	}
	e.to = max(e.to, e.from+1)
	e.text = strings.TrimRight(b.String(), " ")
	return e
}

// underline returns the text of the line below the excerpt.
func (e excerpt) underline() (blanks, carets string) {
	return strings.Repeat(" ", e.from), strings.Repeat("^", e.to-e.from)
}
