#!/usr/bin/env bash
# Builds the release archives: static binaries for Linux and macOS on amd64 and
# arm64, with man pages, completions and the reference, and SHA256SUMS.
#
#	scripts/release.sh v0.1.0 [folder]     folder: dist
#
# The same commit and Go version give the same bytes. It needs GNU tar.
set -euo pipefail
cd "$(dirname "$0")/.."

version=${1:?version missing: scripts/release.sh v0.1.0 [folder]}
out=${2:-dist}
targets=${TARGETS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64}
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
day=$(date -u -d "@$epoch" +%F)

rm -rf "$out"
mkdir -p "$out"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

build() { # os arch package file
	CGO_ENABLED=0 GOOS=$1 GOARCH=$2 go build -trimpath -ldflags "-s -w -X main.release=$version" -o "$4" "$3"
}

build "$(go env GOHOSTOS)" "$(go env GOHOSTARCH)" ./cmd/planner "$stage/planner"
"$stage/planner" gen-docs --man "$stage/man/man1" --completions "$stage/completions" --date "$day"

for target in $targets; do
	os=${target%/*} arch=${target#*/}
	name=planner_${version#v}_${os}_${arch}
	dir=$stage/$name
	mkdir -p "$dir"
	build "$os" "$arch" ./cmd/planner "$dir/planner"
	if [ "$os" = linux ] && [ -d cmd/planner-gpu ]; then
		build "$os" "$arch" ./cmd/planner-gpu "$dir/planner-gpu"
	fi
	cp -r LICENSE README.md "$stage/man" "$stage/completions" "$dir/"
	tar -C "$stage" --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner -cf - "$name" | gzip -n >"$out/$name.tar.gz"
	echo "$out/$name.tar.gz"
done
(cd "$out" && sha256sum ./*.tar.gz >SHA256SUMS)
