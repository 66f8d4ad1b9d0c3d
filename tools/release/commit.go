package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// commit is the state of the working tree.
type commit struct {
	hash string
	date time.Time // of the commit, in UTC
	tag  string    // the version tag of the commit, or ""
	// changes are the files that differ from the commit, as printed by git status.
	changes string
}

func readCommit(ctx context.Context, dir string) (c commit, err error) {
	git := func(args ...string) string {
		if err != nil {
			return ""
		}
		var text string
		text, err = output(ctx, dir, nil, "git", args...)
		return strings.TrimRight(text, "\n")
	}
	c.hash = git("rev-parse", "HEAD")
	seconds, _ := strconv.ParseInt(git("show", "-s", "--format=%ct", "HEAD"), 10, 64)
	c.date = time.Unix(seconds, 0).UTC()
	for _, tag := range strings.Fields(git("tag", "--points-at", "HEAD", "--sort=version:refname")) {
		if isVersion(tag) {
			c.tag = tag
		}
	}
	c.changes = git("status", "--porcelain")
	return c, err
}

// releasable reports why the commit cannot be released.
func (c commit) releasable() error {
	var errs []error
	if c.changes != "" {
		errs = append(errs, fmt.Errorf("the working tree has changes; commit or remove them, or use -snapshot:\n%s", c.changes))
	}
	if c.tag == "" {
		errs = append(errs, fmt.Errorf("commit %.12s has no version tag: git tag -a vX.Y.Z, or use -snapshot", c.hash))
	}
	return errors.Join(errs...)
}

// isVersion reports whether a tag is a semantic version as Go modules need it.
func isVersion(tag string) bool {
	return regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`).MatchString(tag)
}
