package main

import (
	"runtime/debug"
	"testing"
)

// TestBuildVersion checks the version of builds of releases, working trees and replaced modules.
func TestBuildVersion(t *testing.T) {
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
		if got := buildVersion(&c.info); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.info.Main, got, c.want)
		}
	}
}
