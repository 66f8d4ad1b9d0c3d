#!/bin/sh
# replaced.sh replaces hand-written rules by markers in copies of public modules, and prints a line for each:
# how many CRDs change, what schemagen diff says of them, and how many differ from those of controller-gen. Then it
# does so again with the tags of Kubernetes, which controller-gen ignores. Unions by a discriminator are suggested both
# times, but not written: none of the packages enables unions.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
go build -o "$work/schemagen" ./cmd/schemagen
go build -o "$work/controller-gen" sigs.k8s.io/controller-tools/cmd/controller-gen
export GOWORK=off

# replace copies a module, and edits a package of it.
replace() {
	module=$1 package=$2 options=${3:-}
	dir=$(cd "$work" && go mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",\{0,1\}$/\1/p')
	rm -rf "$work/tree"
	cp -r "$dir" "$work/tree"
	chmod -R u+w "$work/tree"
	(
		cd "$work/tree"
		"$work/schemagen" "crd$options" "paths=$package" output:dir=before >log 2>&1
		"$work/schemagen" unions "$package" --suggest >suggested 2>>log
		"$work/schemagen" unions "$package" --suggest --write >>log 2>&1
		"$work/schemagen" "crd$options" "paths=$package" output:dir=after >>log 2>&1
		"$work/schemagen" diff before after >changes 2>&1
		"$work/controller-gen" "crd$options" "paths=$package" output:dir=peer >>log 2>&1
		tags="${options:+$options,}"
		"$work/schemagen" "crd:${tags#:}enable=k8s" "paths=$package" output:dir=untagged >>log 2>&1
		"$work/schemagen" unions "$package" --enable k8s --suggest >tagging 2>>log
		"$work/schemagen" unions "$package" --enable k8s --suggest --write >>log 2>&1
		"$work/schemagen" "crd:${tags#:}enable=k8s" "paths=$package" output:dir=tagged >>log 2>&1
		"$work/schemagen" diff untagged tagged >retagged 2>&1 || true
		sed -i '/controller-gen.kubebuilder.io\/version/d' before/* after/* peer/*
		echo "$module $package: $(grep -c 'rules that mean' suggested) suggestions; $(diff -rq before after | grep -c .)" \
			"of $(ls before | grep -c .) CRDs change; $(grep -c '^[^	].*rule-message-changed: the rules accept the same' changes || true) notes that" \
			"rules are the same, $(grep -c '^[^	].*: \(error\|warning\)\[' changes || true) errors and warnings;" \
			"$(diff -rq after peer | grep -c . || true) CRDs differ from controller-gen;" \
			"with tags $(grep -c 'rules that mean' tagging || true) suggestions, $(diff -rq untagged tagged | grep -c . || true)" \
			"CRDs change, $(grep -c '^[^	].*rule-message-changed: the rules accept the same' retagged || true) notes," \
			"$(grep -c '^[^	].*: \(error\|warning\)\[' retagged || true) errors and warnings"
	) || { cat "$work/tree/log" "$work/tree/changes" >&2; exit 1; }
}

replace github.com/kubernetes-csi/external-snapshotter/client/v8@v8.7.0 ./apis/volumesnapshot/...
replace github.com/cloudnative-pg/cloudnative-pg@v1.28.0 ./api/v1
replace github.com/envoyproxy/gateway@v1.9.1 ./api/v1alpha1 :allowDangerousTypes=true
replace github.com/kserve/kserve@v0.17.0 ./pkg/apis/serving/v1alpha2
replace sigs.k8s.io/gateway-api@v1.6.3 ./apis/v1
replace github.com/openshift/api@v0.0.0-20260416215613-f9587f6e7c60 ./operator/v1
