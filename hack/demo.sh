#!/bin/sh
# Builds schemagen and controller-gen, compares them on a copy of examples/demo, and shows there what
# schemagen finds, enforces and predicts, in at most 40 lines. Usage: demo.sh BIN, a directory for the programs
set -eu
bin=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$(dirname "$0")/.."

quietly() { # runs a command, whose output is shown if it fails
  "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
}
printf 'With empty caches, this takes some minutes. Building schemagen …'
export CGO_ENABLED=0
quietly go build -o "$bin/schemagen" ./cmd/schemagen
printf ' controller-gen …'
quietly go build -C bench/peer -o "$bin/controller-gen" sigs.k8s.io/controller-tools/cmd/controller-gen
printf ' a project …'
export PATH="$bin:$PATH" XDG_CACHE_HOME="$work/cache"
cp -R examples/go.mod examples/go.sum examples/demo "$work"
cd "$work/demo"
quietly go list -deps ./api/... # downloads what it needs, before anything is timed
git init -q "$work"
printf ' ready.\n'

show() { # prints a command, and runs it
  printf '\n\033[1m$ %s\033[0m\n' "$*"
  eval "$*"
}
elapsed() { # sets took to the milliseconds that a command takes
  start=$(date +%s%N)
  "$@"
  took=$((($(date +%s%N) - start) / 1000000))
}

# The same command line for both, without the union, which controller-gen does not know.
mv api/v1/types.go "$work/types.go"
sed '/+union/d; /+schemagen/d' "$work/types.go" > api/v1/types.go
elapsed controller-gen crd object paths=./api/... output:crd:dir=peer
theirs=$took
cp api/v1/zz_generated.deepcopy.go peer
elapsed schemagen crd object paths=./api/... output:crd:dir=own --quiet
ours=$took
cp api/v1/zz_generated.deepcopy.go own
diff -r -I '^    controller-gen.kubebuilder.io/version: ' peer own
elapsed schemagen crd object paths=./api/... output:crd:dir=own --quiet
elapsed schemagen crd object paths=./api/... output:crd:dir=own --quiet
rm -r peer own
mv "$work/types.go" api/v1/types.go
echo "A CRD and its DeepCopy methods: controller-gen $theirs ms, schemagen $ours ms, and $took ms if nothing changed."
echo "The files are equal but for the tool's version. schemagen has verified them with the API server's code."

# A mistake.
sed -i.bak 's/Minimum=1/Minimun=1/' api/v1/types.go && rm api/v1/types.go.bak
show "schemagen generate --color=always --quiet 2>&1 | head -n 6"
show "schemagen generate --fix --quiet"
git add -A && git -c user.name=demo -c user.email=demo@example.com commit -qm demo

# A union.
show "grep -A3 +union api/v1/types.go | grep -E '// [+]union|json'"
show "grep -h 'rule: .*disk' crds/*.yaml | sed 's/^ *//'"
show "schemagen try -f new.yaml --old stored.yaml 2>&1 | tail -n +9"

# A change.
sed -i.bak 's/MaxLength=63/MaxLength=40/' api/v1/types.go
show "schemagen diff git:HEAD ./api/... 2>&1 # MaxLength is 40 instead of 63" || test $? = 1 # it breaks something
