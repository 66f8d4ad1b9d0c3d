#!/bin/sh
# Installs what package.json in a directory needs into a cache, and prints the path of its node_modules. npm is installed
# if it is missing and we have the rights.
set -eu
hack=$(dirname "$0")
command -v npm >/dev/null || "$hack/install.sh" npm
cd "$1"

# Each version of package.json has its own folder, which exists once it is complete. The versions are exact.
cache="${XDG_CACHE_HOME:-$HOME/.cache}/schemagen-web/$(cat package*.json | sha256sum | cut -c1-16)"
if [ ! -d "$cache" ]; then
  mkdir -p "$(dirname "$cache")"
  new=$(mktemp -d "$cache.XXXXXX")
  trap 'rm -rf "$new"' EXIT
  cp package*.json "$new"
  npm install --prefix "$new" --ignore-scripts --no-audit --no-fund --loglevel=error >&2
  mv -T "$new" "$cache" 2>/dev/null || [ -d "$cache" ] # another run was faster
  rm -rf "$new"
fi
echo "$cache/node_modules"
