package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPatches creates the webhook configurations of testdata/config/patches.txt. The server must
// refuse those about which schemagen reports an error, and no others, for the same fields.
func TestPatches(t *testing.T) {
	part(t, "configurations of webhooks")
	s := cluster(t)
	text, err := os.ReadFile(filepath.Join(root, "testdata", "config", "patches.txt"))
	if err != nil {
		t.Fatal(err)
	}
	refused, accepted := 0, 0
	for block := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		lines := strings.Split(block, "\n")
		if len(lines) < 2 || lines[1] == "no object" {
			continue
		}
		var head struct{ Kind string }
		if err := json.Unmarshal([]byte(lines[1]), &head); err != nil {
			t.Fatalf("%s: %v", lines[0], err)
		}
		path := "/apis/admissionregistration.k8s.io/v1/" + strings.ToLower(head.Kind) + "s?dryRun=All&" + Strict
		a, err := s.Do(t.Context(), http.MethodPost, path, JSON, []byte(lines[1]))
		if err != nil {
			t.Fatalf("%s: %v", lines[0], err)
		}
		switch a.Code {
		case http.StatusCreated:
			accepted++
		case http.StatusUnprocessableEntity:
			refused++
		default:
			t.Errorf("%s: %s", lines[0], a)
		}
		findings := strings.Join(lines[2:], "\n")
		if a.OK() == strings.Contains(findings, "error[") {
			t.Errorf("%s: the server: %s\nschemagen: %s", lines[0], a, findings)
		}
		for _, cause := range a.Causes() {
			field, _, _ := strings.Cut(strings.TrimPrefix(cause, "webhooks[0]."), ": ")
			selective := strings.Contains(field, "elector") || strings.Contains(field, "matchConditions")
			if selective && !strings.Contains(findings, field+":") {
				t.Errorf("%s: the server: %s\nschemagen does not name %s: %s", lines[0], a, field, findings)
			}
		}
	}
	if refused == 0 || accepted == 0 {
		t.Errorf("%d configurations are refused, %d accepted", refused, accepted)
	}
	suite.report.Count("configurations of webhooks, refused as the patches of their markers are", refused)
	suite.report.Count("of such configurations, accepted", accepted)
}
