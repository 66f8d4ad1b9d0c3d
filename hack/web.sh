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
command -v npm >/dev/null || missing="$missing npm"
if [ -n "$missing" ]; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "web.sh: install these first:$missing" >&2
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086
  apt-get install -yq --no-install-recommends $missing >/dev/null ||
    { apt-get update -q && apt-get install -yq --no-install-recommends $missing; }
fi

# Each version of package.json has its own folder, which exists once it is complete.
cache="${XDG_CACHE_HOME:-$HOME/.cache}/schemagen-web/$(sha256sum package.json | cut -c1-16)"
if [ ! -d "$cache" ]; then
  mkdir -p "$(dirname "$cache")"
  new=$(mktemp -d "$cache.XXXXXX")
  trap 'rm -rf "$new"' EXIT
  cp package.json "$new"
  npm install --prefix "$new" --no-package-lock --ignore-scripts --no-audit --no-fund --loglevel=error
  mv -T "$new" "$cache" 2>/dev/null || [ -d "$cache" ] # another run was faster
  rm -rf "$new"
fi

go vet .
WEB_NODE_MODULES="$cache/node_modules" exec go test "$@" .
