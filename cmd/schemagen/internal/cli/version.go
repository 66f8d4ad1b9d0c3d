package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

// BuildInfo returns the build information of this program, which is empty if there is none.
func BuildInfo() *debug.BuildInfo {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return &debug.BuildInfo{}
	}
	return info
}

// VersionText describes a build of a tool, with the commit and its date if the go command stamped them.
func VersionText(tool string, info *debug.BuildInfo) string {
	text := tool + "-" + cmp.Or(Version(info), "devel") + "\n"
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			text += "commit: " + s.Value + "\n"
		case "vcs.time":
			text += "date: " + s.Value + "\n"
		}
	}
	return text + fmt.Sprintf("go: %s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// Version returns the version of a build: its module's version, or else the revision of its working
// tree. It is empty if both are unknown.
func Version(info *debug.BuildInfo) string {
	if v := info.Main.Version; v != "" && v != "(devel)" && info.Main.Replace == nil {
		return v
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	revision := settings["vcs.revision"]
	if len(revision) > 12 { // as in pseudo-versions
		revision = revision[:12]
	}
	if revision != "" && settings["vcs.modified"] == "true" {
		revision += "+dirty"
	}
	return revision
}

// ToolName is the name of this tool in versions.
const ToolName = "schemagen"

// ToolVersion returns the name and version of this binary.
func ToolVersion() string { return ToolName + "-" + cmp.Or(Version(BuildInfo()), "devel") }

// StampedVersion returns the name and version of this binary as written into the version
// annotation of generated files. A build of an unknown version has only its name there, so that
// the files of two such builds are equal.
func StampedVersion() string {
	if version := Version(BuildInfo()); version != "" {
		return ToolName + "-" + version
	}
	return ToolName
}
