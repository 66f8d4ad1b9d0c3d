package terminal

import (
	"fmt"
	"slices"

	"golang.org/x/term"
)

// Device describes what a stream is connected to.
type Device struct {
	// IsTerminal is set for a terminal on which a line can be erased.
	IsTerminal bool
	// People is set if a person reads the stream now.
	People bool
	// Styled is set if text may have styles.
	Styled bool
	// Width is the number of columns.
	Width int
}

const (
	defaultWidth = 100
	minWidth     = 40
)

// Modes returns the values of the flag --color.
func Modes() []string { return []string{"auto", "always", "never"} }

type fileDescriptor interface{ Fd() uintptr }

// IsTerminal reports whether a stream is connected to a terminal of any kind.
func IsTerminal(stream any) bool {
	file, ok := stream.(fileDescriptor)
	return ok && term.IsTerminal(int(file.Fd()))
}

// DeviceOf returns what a stream is connected to. The mode is one of [Modes]; always means
// that a person reads the stream in any case, for example through a pager.
func DeviceOf(stream any, mode string, env func(name string) string) (Device, error) {
	if !slices.Contains(Modes(), mode) {
		return Device{}, fmt.Errorf("unknown color %q: use one of auto, always, never", mode)
	}
	d := Device{Width: defaultWidth}
	if IsTerminal(stream) {
		d.IsTerminal = env("TERM") != "dumb"
		if width, _, err := term.GetSize(int(stream.(fileDescriptor).Fd())); err == nil && width > 0 {
			d.Width = max(width, minWidth)
		}
	}
	d.People = d.IsTerminal && (env("CI") == "" || env("CI") == "false")
	d.Styled = d.People && env("NO_COLOR") == ""
	switch mode {
	case "always":
		d.People = true
		d.Styled = true
	case "never":
		d.Styled = false
	}
	return d, nil
}
