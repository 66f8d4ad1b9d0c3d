#!/bin/sh
# Generates the CRDs of the Gateway API and of a small project, and shows the
# diagnostics for a file with mistakes. Usage: demo.sh SCHEMAGEN
set -eu
schemagen=$1
cd "$(dirname "$0")/../examples"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

step() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }

# Download the modules before timing anything.
go list -deps ./... sigs.k8s.io/gateway-api/apis/... >/dev/null

step "schemagen crd sigs.k8s.io/gateway-api/apis/... -o crds    # the Gateway API, as published"
start=$(date +%s%N)
"$schemagen" crd sigs.k8s.io/gateway-api/apis/... -o "$out/gateway"
end=$(date +%s%N)
(cd "$out/gateway" && wc -c ./*.yaml)
echo "$(ls "$out/gateway" | wc -l) CRDs in $(( (end - start) / 1000000 )) ms"

step "schemagen crd ./quickstart/api/... -o crds                # a project of your own"
"$schemagen" crd ./quickstart/api/... -o "$out/quickstart"
sed -n '1,/schema:/p' "$out"/quickstart/batch.example.com_cronjobs.yaml
echo "      ... $(wc -l < "$out"/quickstart/batch.example.com_cronjobs.yaml) lines in all"

step "schemagen crd ./quickstart/api/... -o crds --check        # in CI: is the checked-in output up to date?"
"$schemagen" crd ./quickstart/api/... -o "$out/quickstart" --check && echo "up to date"

step "schemagen crd ./mistakes/api/... -o crds                  # every mistake at once, nothing written"
if "$schemagen" crd ./mistakes/api/... -o "$out/mistakes"; then
  echo "the mistakes were not found" >&2
  exit 1
fi
test ! -e "$out/mistakes"
