//go:build !linux

package inputs

import "os"

// hasWriter returns false: the system does not tell.
func hasWriter(*os.File) bool { return false }
