#!/bin/sh
# Lists the changes of the exported Go API since a commit, the last tag by default.
# Usage: apidiff.sh [COMMIT]
set -eu
cd "$(dirname "$0")/.."
module=$(go list -m)
base=${1:-$(git describe --tags --abbrev=0 2>/dev/null || true)}
if [ -z "$base" ]; then
  echo "apidiff.sh: there is no tag yet: name a commit" >&2
  exit 1
fi
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
trap 'exit 130' INT TERM # dash leaves out the trap above if a signal ends it
mkdir "$temp/old"
git archive -o "$temp/old.tar" "$base"
tar -xf "$temp/old.tar" -C "$temp/old"
go build -modfile=tools/go.mod -o "$temp/apidiff" golang.org/x/exp/cmd/apidiff
# apidiff names each internal package that it leaves out on standard error.
quietly() { "$@" 2> "$temp/log" || { cat "$temp/log" >&2; exit 1; }; }
(cd "$temp/old" && quietly "$temp/apidiff" -m -w "$temp/old.api" "$module")
quietly "$temp/apidiff" -m "$temp/old.api" "$module"
