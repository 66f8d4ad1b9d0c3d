//go:build !linux && !darwin

package inputs

import (
	"io/fs"
	"os"
)

// systemStamp returns nothing: without a time of change that cannot be set, only
// the content tells.
func systemStamp(fs.FileInfo) (stamp, bool) { return stamp{}, false }

// hasWriter is not known here.
func hasWriter(*os.File) bool { return false }
