#!/usr/bin/env bash
# Runs go vet, the tests of packages, scripts and pages that have changed since a commit, and the tests
# that compare the pages with the program. Usage: check.sh [COMMIT], by default where the branch left main
set -euo pipefail
cd "$(dirname "$0")/.."
base=${1:-$(git merge-base HEAD main 2> /dev/null || git rev-parse HEAD)}

# changed prints the names, without directory and extension, of files below a directory that have changed.
changed() { { git diff --name-only "$base" -- "$@"; git ls-files --others --exclude-standard -- "$@"; } | sort -u; }
names() { changed "$@" | sed 's|.*/||; s|\.[a-z]*$||' | paste -sd '|' -; }

scripts=$(names testdata/script)
pages=$(names README.md docs/*.md)
packages=$(changed '*.go' | { grep -vE '(^|/)testdata/|^(bench|e2e|web|tools|examples|cmd/schemagen)/' || true; } | xargs -r -n 1 dirname | sort -u | while read -r dir; do
  if [ -d "$dir" ] && [ "$dir" != . ]; then echo "./$dir"; fi
done)

go vet ./...
# shellcheck disable=SC2086 # packages are several words
if [ -n "$packages" ]; then go test -short $packages; fi
go test . -run 'Page$|^(TestKinds|TestFirstPages|TestPackagesAreSmall|TestOneCommandAFile|TestRooms|TestImportsGoDownTheLayers)$'
go test -short ./cmd/schemagen -run "(Page|Links|TestHelp|Stable.*|TestSettings.*)\$|TestScripts/^(generate|crd${scripts:+|$scripts})\$|TestBook/README|TestBook/docs/(${pages:-README})\.md"
