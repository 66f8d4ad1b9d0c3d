#!/bin/sh
# Runs the tests in web/ with the programs that they need: Chromium and ChromeDriver, and
# tmux and a font for pictures, installed from Debian's packages if they are missing and we
# have the rights, and yaml-language-server in the version in web/package.json, kept in a cache.
# Arguments are passed to go test.
set -eu
cd "$(dirname "$0")/../web"

missing=
command -v chromium >/dev/null || missing="$missing chromium fonts-dejavu-core"
command -v chromedriver >/dev/null || missing="$missing chromium-driver"
command -v tmux >/dev/null || missing="$missing tmux"
[ -n "$(fc-list :lang=ja 2>/dev/null)" ] || missing="$missing fonts-droid-fallback" # for wide characters
# shellcheck disable=SC2086
[ -z "$missing" ] || ../hack/install.sh $missing
modules=$(../hack/npm.sh .)

go vet .
WEB_NODE_MODULES="$modules" exec go test -vet=off "$@" .
