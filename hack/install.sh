#!/bin/sh
# Installs Debian packages if we have the rights, and fails with their names otherwise.
set -eu
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "install these first: $*" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get install -yq --no-install-recommends "$@" >/dev/null ||
  { apt-get update -q && apt-get install -yq --no-install-recommends "$@"; } >&2
