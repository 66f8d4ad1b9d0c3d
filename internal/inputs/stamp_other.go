//go:build !linux && !darwin

package inputs

import (
	"io/fs"
	"os"
)

// systemStamp returns no stamp: without a change time that cannot be set, only the
// content tells.
func systemStamp(fs.FileInfo) (stamp, bool) { return stamp{}, false }

// hasWriter returns false: the system does not tell.
func hasWriter(*os.File) bool { return false }
