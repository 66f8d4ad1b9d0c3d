package migrate

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestReadMakefile checks which calls are found in Makefiles.
func TestReadMakefile(t *testing.T) {
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("FROM_ENV", "env")
	for _, c := range []struct{ name, text, want string }{
		{"plain", "all:\n\tcontroller-gen crd paths=./...\n", "2 . crd paths=./... direct"},
		{"a path with a version", "all:\n\t./bin/controller-gen-v0.16.1 crd paths=./...\n", "2 . crd paths=./... direct"},
		{"the variable", "all:\n\t$(CONTROLLER_GEN) crd paths=./...\n", "2 . crd paths=./..."},
		{"braces, quotes, silent", "all:\n\t@-\"${CONTROLLER_GEN}\" crd \"paths=./a b/...\"\n", "2 . crd paths=./a b/..."},
		{"go run", "all:\n\tgo run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.16.1 crd paths=./...\n", "2 . crd paths=./... direct"},
		{"go tool", "all:\n\tgo tool controller-gen crd paths=./...\n", "2 . crd paths=./... direct"},
		{"another variable", "GEN := $(BIN)/controller-gen\nBIN = bin\nall:\n\t$(GEN) crd paths=./...\n", "4 . crd paths=./... direct"},
		{"continued", "all:\n\t$(CONTROLLER_GEN) crd \\\n\t  paths=./... \\\n\t  output:dir=x\nb:\n\t$(CONTROLLER_GEN) object\n", "2 . crd paths=./... output:dir=x|6 . object"},
		{"variables in variables", "A = $(B)\nB ?= crd:maxDescLen=$(C)\nC := 1\nC := 2\nall:\n\t$(CONTROLLER_GEN) $(A) paths=./...\n", "6 . crd:maxDescLen=2 paths=./..."},
		{"several arguments in one", "OPTIONS ?= \"crd\" rbac:roleName=x # two\nall:\n\t$(CONTROLLER_GEN) $(OPTIONS) paths=.\n", "3 . crd rbac:roleName=x paths=."},
		{"the environment", "FROM_ENV ?= file\nall:\n\t$(CONTROLLER_GEN) rbac:roleName=$(FROM_ENV)\n", "3 . rbac:roleName=env"},
		{"an assignment before the environment", "FROM_ENV = file\nall:\n\t$(CONTROLLER_GEN) rbac:roleName=$(FROM_ENV)\n", "3 . rbac:roleName=file"},
		{"what is not set", "all:\n\t$(CONTROLLER_GEN) crd$(NOT_SET_ANYWHERE)\n", "2 . crd"},
		{"the directory", "all:\n\tcd api && $(CONTROLLER_GEN) crd paths=$(CURDIR)/x; cd v1; GOOS=linux $(CONTROLLER_GEN) object\n", "2 api crd paths=" + wd + "/x|2 api/v1 object [GOOS=linux]"},
		{"a condition of the shell", "all:\n\tif true; then $(CONTROLLER_GEN) crd; else exec $(CONTROLLER_GEN) object; fi\n", "2 . crd|2 . object"},
		{"a version only", "all:\n\t$(CONTROLLER_GEN) --version\n\ttest -s bin/controller-gen || echo controller-gen crd\n", ""},
		{"comments", "# $(CONTROLLER_GEN) crd\nall:\n\t# $(CONTROLLER_GEN) crd\n\t$(CONTROLLER_GEN) crd # paths=x\n", "4 . crd"},
		{"a definition", "define gen\n\t$(CONTROLLER_GEN) crd\nendef\n", ""},
		{"a function", "all:\n\t$(CONTROLLER_GEN) crd paths=$(call f,a)\n", "!M:2: cannot expand $(call f,a)"},
		{"a function in a variable", "P = $(shell ls)\nall:\n\t$(CONTROLLER_GEN) crd paths=$(P)\n", "!M:3: cannot expand $(shell ls)"},
		{"a function of an installation", "all:\n\t$(call go-install,$(CONTROLLER_GEN),v1)\n", ""},
		{"a loop", "all:\n\tfor d in a b; do $(CONTROLLER_GEN) crd paths=./$$d/...; done\n", "!M:2: cannot expand shell syntax in \"crd paths=./$d/...\""},
		{"a variable of itself", "A = $(A)\nall:\n\t$(CONTROLLER_GEN) crd paths=$(A)\n", "!M:3: cannot expand $(A)"},
		{"variables that refer to each other twice", doubling() + "all:\n\t$(CONTROLLER_GEN) crd paths=$(A)\n", "!M:20: cannot expand $(R)"},
		{"automatic", "all:\n\t$(CONTROLLER_GEN) crd paths=$<\n", "!M:2: cannot expand $<"},
		{"lines of Windows", "A = crd\r\nall:\r\n\t$(CONTROLLER_GEN) $(A) \\\r\n\tpaths=x\r\n", "3 . crd paths=x"},
		{"an open quote", "all:\n\t$(CONTROLLER_GEN) crd 'paths=x\n", "2 . crd paths=x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := readMakefile("M", []byte(c.text))
			var got []string
			for _, call := range m.calls {
				text := fmt.Sprintf("%d %s %s", call.line, call.dir, strings.Join(call.args, " "))
				if len(call.env) > 0 {
					text += fmt.Sprint(" ", call.env)
				}
				if call.direct {
					text += " direct"
				}
				got = append(got, text)
			}
			for _, problem := range m.problems {
				got = append(got, "!"+problem)
			}
			if text := strings.Join(got, "|"); text != c.want {
				t.Errorf("got  %s\nwant %s", text, c.want)
			}
		})
	}
}

// TestWithTool checks that exactly one assignment is changed.
func TestWithTool(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"A = 1\nCONTROLLER_GEN ?= $(LOCALBIN)/controller-gen\nB = 2\n", "A = 1\nCONTROLLER_GEN ?= sg\nB = 2\n"},
		{"CONTROLLER_GEN:=x # why\r\nB = 2\r\n", "CONTROLLER_GEN:= sg # why\r\nB = 2\r\n"},
		{"export CONTROLLER_GEN = a \\\n  b \\\n  c\nB = 2", "export CONTROLLER_GEN = sg\nB = 2"},
		{"CONTROLLER_GEN = a", "CONTROLLER_GEN = sg"},
		{"A = $(CONTROLLER_GEN)\n", ""},
	} {
		text, ok := readMakefile("M", []byte(c.text)).withTool("sg")
		if text != c.want || ok != (c.want != "") {
			t.Errorf("withTool of %q = %q, %v", c.text, text, ok)
		}
	}
}

// FuzzReadMakefile checks that any Makefile can be read, and that withTool changes only
// one assignment.
func FuzzReadMakefile(f *testing.F) {
	for _, seed := range []string{"A ?= b \\\n c\nall:\n\t@$(CONTROLLER_GEN) crd 'x' \"y\\\"\" $$z; cd a\n", "CONTROLLER_GEN = a # b\r\ndefine x\nendef\n", "A = $(B)\nB = ${A}\n\tcontroller-gen $(A)", "\\\n\\", "CONTROLLER_GEN =#"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := readMakefile("M", []byte(text))
		if strings.Join(m.lines, "") != text {
			t.Error("lines do not add up to the text")
		}
		changed, ok := m.withTool("sg")
		if !ok {
			return
		}
		again := readMakefile("M", []byte(changed))
		if got := again.variables[toolVariable]; got.value != "sg" {
			t.Errorf("got value %q in %q", got.value, changed)
		}
		if !slices.Equal(again.lines[:again.variables[toolVariable].line], m.lines[:m.variables[toolVariable].line]) {
			t.Error("lines before the variable changed")
		}
	})
}

// doubling returns assignments in which each variable refers three times to the previous one.
func doubling() string {
	var text strings.Builder
	for c := 'A'; c < 'S'; c++ {
		fmt.Fprintf(&text, "%c=$(%c)$(%[2]c)$(%[2]c)\n", c, c+1)
	}
	return text.String()
}

// TestWithInstalled checks the ways in which Makefiles install controller-gen.
func TestWithInstalled(t *testing.T) {
	const head = "CONTROLLER_GEN ?= $(LOCALBIN)/controller-gen\n"
	for _, c := range []struct{ name, text, want string }{
		{"a function", "V ?= v0.20.0\na:\n\t$(call go-install-tool,$(CONTROLLER_GEN),sigs.k8s.io/controller-tools/cmd/controller-gen,$(V))\n",
			"V ?= v1.2.3\na:\n\t$(call go-install-tool,$(CONTROLLER_GEN),github.com/schemagen/schemagen/cmd/schemagen,$(V))\n"},
		{"a version", "V = v0.20.0\na:\n\tGOBIN=$(LOCALBIN) go install sigs.k8s.io/controller-tools/cmd/controller-gen@$(V)\n",
			"V = v1.2.3\na:\n\tGOBIN=$(LOCALBIN) go install github.com/schemagen/schemagen/cmd/schemagen@$(V)\n"},
		{"no version", "a:\n\ttest -s $(LOCALBIN)/controller-gen || go install sigs.k8s.io/controller-tools/cmd/controller-gen\n",
			"a:\n\ttest -s $(LOCALBIN)/schemagen || go install github.com/schemagen/schemagen/cmd/schemagen@v1.2.3\n"},
		{"no version, and more", "a:\n\tgo install sigs.k8s.io/controller-tools/cmd/controller-gen; touch a\n",
			"a:\n\tgo install github.com/schemagen/schemagen/cmd/schemagen@v1.2.3; touch a\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := readMakefile("M", []byte(head+c.text))
			if got, want := m.withInstalled("v1.2.3"), strings.ReplaceAll(head, "/controller-gen", "/schemagen")+c.want; !m.installs() || got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}
