#!/bin/sh
# Tests the files in editors/: drives schemagen lsp from a real Neovim in a small module, builds
# the extension of VS Code in bin/vscode, and drives the server with its library. Neovim and npm are installed from Debian's packages if
# they are missing and we have the rights.
set -eu
cd "$(dirname "$0")/.."

missing=
command -v nvim >/dev/null || missing="$missing neovim"
command -v npm >/dev/null || missing="$missing npm"
# shellcheck disable=SC2086
[ -z "$missing" ] || hack/install.sh $missing

mkdir -p bin
go build -o bin/schemagen ./cmd/schemagen
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/api/v1"
sed 's/^module .*/module example.com\/project/' go.mod >"$work/go.mod"
cp go.sum "$work"
cat >"$work/api/v1/types.go" <<'GO'
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:validation:XValidation:rule="'😀' != self.name",message="no"
type Spec struct {
	// +kubebuilder:validation:MaxLenght=9
	Name  string   `json:"name"`
	Nodes []string `json:"nodes"`
}

// +kubebuilder:printcolumn:name=Name,type=string,JSONPath=.spec.name
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec `json:"spec"`
}
GO
root=$PWD
(
  cd "$work"
  SCHEMAGEN="$root/bin/schemagen" SCHEMAGEN_NEOVIM="$root/editors/neovim" timeout 120 nvim --headless --clean -c \
    "lua local ok, err = xpcall(dofile, debug.traceback, '$root/editors/neovim/test.lua'); if not ok then io.stderr:write(err .. '\n'); vim.cmd('cquit 1') end"
)

rm -rf bin/vscode
cp -R editors/vscode bin/vscode
npm ci --prefix bin/vscode --no-audit --no-fund --loglevel=error
npm run --prefix bin/vscode --silent build
(cd "$work" && SCHEMAGEN="$root/bin/schemagen" timeout 120 node "$root/bin/vscode/test/protocol.mjs")
