#!/bin/sh
# Signs the files of a release, pushes its image, and publishes both. Nothing is published
# before everything is signed. Usage: publish.sh DIRECTORY TAG NOTES IMAGE
# It needs cosign and gh.
set -eu
directory=$1 tag=$2 notes=$(realpath "$3") image=$4
module=$(cd "$(dirname "$0")/../tools/release" && pwd)
cd "$directory"

sha256sum --check --strict checksums.txt
layout=$(mktemp -d)
trap 'rm -rf "$layout"' EXIT
tar -xf ./*_image.tar -C "$layout"

cosign sign-blob --yes --bundle checksums.txt.sigstore.json checksums.txt
# Prints the reference with the digest. Signatures are for digests: a tag can be moved.
pushed=$(go -C "$module" tool crane push "$layout" "$image:$tag")
cosign sign --yes --recursive "$pushed"
gh release create "$tag" --verify-tag --title "$tag" --notes-file "$notes" ./*
