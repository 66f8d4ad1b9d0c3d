package source

import "fmt"

// Output is a file that a generator of a run wants to write.
type Output struct {
	// PackageDir is the directory of the package that the file belongs to, or "" for
	// configuration.
	PackageDir string
	// Name is relative to the output directory. For applyconfiguration it contains
	// directories, and the file always belongs below PackageDir.
	Name string
	Data []byte
}

// Unsure is the error of a generator that cannot be certain that its output would equal
// controller-gen's. Nothing was generated, and the caller runs controller-gen's own code
// instead.
type Unsure struct {
	// Reason completes the sentence "controller-gen's code runs because …".
	Reason string
}

// Error returns the reason.
func (u *Unsure) Error() string { return u.Reason }

// Unsuref returns an [Unsure] error with a formatted reason.
func Unsuref(format string, args ...any) error {
	return &Unsure{Reason: fmt.Sprintf(format, args...)}
}
