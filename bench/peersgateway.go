package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

//go:embed testdata/gatewayclient/client_test.go
var gatewayClient []byte

// gatewayTests is the package of Gateway API's tests of CEL rules.
const gatewayTests = "pkg/test/cel"

// gatewayCases runs Gateway API's tests for its two channels with a client that asks schemagen.
func gatewayCases(ctx context.Context, r peerRun) ([]peerTable, error) {
	const main = gatewayTests + "/main_test.go"
	text, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(main)))
	if err != nil {
		return nil, err
	}
	text, err = withoutDeclarations(text, "TestMain", "k8sClient")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{main: text, gatewayTests + "/client_test.go": gatewayClient}
	var out []peerTable
	for _, channel := range []string{"standard", "experimental"} {
		t, err := r.gatewayChannel(ctx, channel, files)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// gatewayChannel runs the tests twice: to learn the requests, and with the answers to them.
func (r peerRun) gatewayChannel(ctx context.Context, channel string, files map[string][]byte) (peerTable, error) {
	t := peerTable{name: gatewayTests + ", " + channel}
	dir := filepath.Join(r.temp, channel)
	for _, name := range []string{"create", "update", "update-old", "status", "status-old", "stored"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			return t, err
		}
	}
	env := []string{"PEERS_DIR=" + dir}
	if _, err := r.goTest(ctx, gatewayTests, files, env, "-tags="+channel); err != nil {
		return t, err
	}
	answers := map[string]string{}
	crds := filepath.Join(r.dir, "config", "crd", channel)
	for _, args := range [][]string{
		{"-f", filepath.Join(dir, "create")},
		{"-f", filepath.Join(dir, "update"), "--old", filepath.Join(dir, "update-old")},
		{"-f", filepath.Join(dir, "status"), "--old", filepath.Join(dir, "status-old"), "--subresource=status"},
	} {
		found, err := r.findings(ctx, append([]string{"try", crds, "-o", "none", "--validate", "warn"}, args...)...)
		if err != nil {
			return t, err
		}
		for _, f := range found {
			if f.Severity == "error" {
				number := strings.TrimSuffix(filepath.Base(f.File), ".json")
				answers[number] = strings.TrimPrefix(answers[number]+", "+f.Message, ", ")
			}
		}
	}
	text, err := json.Marshal(answers)
	if err != nil {
		return t, err
	}
	if err := os.WriteFile(filepath.Join(dir, "answers.json"), text, 0o644); err != nil {
		return t, err
	}
	results, err := r.goTest(ctx, gatewayTests, files, env, "-tags="+channel)
	if err != nil {
		return t, err
	}
	t.count = len(results)
	for _, result := range results {
		if result.failed {
			t.differs = append(t.differs, gatewayDifference(result))
		}
	}
	return t, nil
}

// gatewayFailure matches the message of a test: the answer, and what is missing in it.
var gatewayFailure = regexp.MustCompile(
	`got err= (.*) ;(?:missing strings within |want substring within |want )error=(.*) --- FAIL`)

// gatewayDifference returns a failed test as a case.
func gatewayDifference(result testResult) peerCase {
	c := peerCase{name: result.name, ours: strings.Join(strings.Fields(result.output), " ")}
	if m := gatewayFailure.FindStringSubmatch(c.ours); m != nil {
		c.ours = m[1]
		c.theirs = m[2]
	}
	_, message, hasType := strings.Cut(c.theirs, `"object\": `)
	if hasType && strings.Contains(c.ours, strings.TrimRight(message, `"]`)) {
		c.reason = "since Kubernetes 1.35, errors of CEL rules omit the type in place of objects and lists"
	}
	return c
}

// peerFinding is a finding of schemagen.
type peerFinding struct {
	Code, Severity, File, Message string
	Line                          int
}

// findings runs schemagen and returns its findings.
func (r peerRun) findings(ctx context.Context, args ...string) ([]peerFinding, error) {
	cmd := exec.CommandContext(ctx, r.product, append(args, "--format=json")...)
	cmd.Dir = r.temp
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return nil, fmt.Errorf("schemagen %s: %w\n%s", strings.Join(args, " "), err, head(stderr.Bytes(), 20))
	}
	var result struct{ Diagnostics []peerFinding }
	err = json.Unmarshal(stdout.Bytes(), &result)
	return result.Diagnostics, err
}
