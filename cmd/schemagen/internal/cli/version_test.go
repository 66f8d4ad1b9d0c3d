package cli

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestVersion checks the version of builds of releases, working trees and replaced modules.
func TestVersion(t *testing.T) {
	const revision = "0123456789abcdef0123456789abcdef01234567"
	vcs := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: modified}}
	}
	for _, c := range []struct {
		info debug.BuildInfo
		want string
	}{
		{debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}, "v1.2.3"},
		{debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-20260101000000-0123456789ab+dirty"}, Settings: vcs("true")}, "v0.0.0-20260101000000-0123456789ab+dirty"},
		{debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: vcs("false")}, "0123456789ab"},
		{debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: vcs("true")}, "0123456789ab+dirty"},
		{debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, ""},
		{debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-00010101000000-000000000000", Replace: &debug.Module{Path: "../schemagen"}}}, ""},
		{debug.BuildInfo{}, ""},
	} {
		if got := Version(&c.info); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.info.Main, got, c.want)
		}
	}
}

// TestVersionText checks what is printed of builds with and without a commit.
func TestVersionText(t *testing.T) {
	system := "go: " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH + "\n"
	for want, info := range map[string]debug.BuildInfo{
		"schemagen-v1.2.3\ncommit: 0123\ndate: 2026-11-22T10:00:00Z\n" + system: {
			Main: debug.Module{Version: "v1.2.3"},
			Settings: []debug.BuildSetting{
				{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "0123"}, {Key: "vcs.time", Value: "2026-11-22T10:00:00Z"},
			},
		},
		"schemagen-v1.2.3\n" + system: {Main: debug.Module{Version: "v1.2.3"}}, // of go install
		"schemagen-devel\n" + system:  {},
	} {
		if got := VersionText("schemagen", &info); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
