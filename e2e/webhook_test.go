package e2e

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A webhookRow is a request for a Canvas. old and new are the fields of the background, and
// the elements of the list of layers.
type webhookRow struct {
	name     string
	old, new [2]string
	// want is the object that is stored; empty means new.
	want [2]string
	errs []string
}

const (
	solid      = `"solid": {"color": "#ffffff"}`
	image      = `"image": {"url": "a.png"}`
	typeSolid  = `"type": "Solid"`
	typeImage  = `"type": "Image"`
	typeNone   = `"type": "None"`
	background = "spec.background."
)

// webhookRows returns the rows of the table of cases that have typed objects: Solid selects
// solid, Image selects image, None selects nothing.
func webhookRows() []webhookRow {
	one := func(fields ...string) [2]string { return [2]string{strings.Join(fields, ", "), ""} }
	layers := func(list ...string) [2]string {
		for i := range list {
			name, fill, _ := strings.Cut(list[i], " ")
			list[i] = fmt.Sprintf(`{"name": %q, "fill": {%s}}`, name, fill)
		}
		return [2]string{typeNone, strings.Join(list, ", ")}
	}
	stored := one(typeSolid, solid)
	both := one(typeSolid, solid, image)
	tooMuch := []string{"Forbidden " + background + "image"}
	swapped := []string{"Forbidden " + background + "image", "Required " + background + "solid"}
	return []webhookRow{
		{name: "create", new: stored},
		{name: "create, two members", new: both, errs: tooMuch},
		{name: "create, swapped", new: one(typeSolid, image), errs: swapped},
		{name: "create, no member", new: one(typeSolid), errs: swapped[1:]},
		{name: "create, empty member", new: one(typeNone)},
		{name: "create, next to an empty member", new: one(typeNone, image), errs: tooMuch},
		// The webhook reports the hint on the discriminator, too.
		{name: "second member", old: stored, new: both, errs: append(tooMuch[:1:1], "Invalid "+background+"type")},
		{name: "other member", old: stored, new: one(typeSolid, image), errs: swapped},
		{name: "member removed", old: stored, new: one(typeSolid), errs: swapped[1:]},
		{name: "selected anew", old: stored, new: one(typeImage, solid, image), want: one(typeImage, image)},
		{name: "selected, not set", old: stored, new: one(typeImage, solid), errs: []string{"Required " + background + "image"}},
		{name: "to an empty member", old: stored, new: one(typeNone, solid), want: one(typeNone)},
		{name: "next to an empty member, not carried over", old: stored, new: one(typeNone, solid, image), want: one(typeNone)},
		{name: "empty text is no value", old: stored, new: one(`"type": ""`, solid), errs: []string{"NotSupported " + background + "type"}},
		{name: "discriminator removed", old: stored, new: one(solid), errs: []string{"Required " + background + "type"}},
		{name: "unknown value", old: stored, new: one(`"type": "Z"`, solid, image), errs: []string{"NotSupported " + background + "type"}},
		{name: "unknown fields", old: stored, new: one(typeImage, solid, image, `"n": {}`), want: one(typeImage, image)},
		{name: "null member", old: stored, new: one(typeImage, `"solid": null`, image), want: one(typeImage, image)},
		{name: "keyed, in another order", old: layers("x "+typeSolid+", "+solid, "y "+typeNone), new: layers("y "+typeNone, "x "+typeImage+", "+solid+", "+image),
			want: layers("y "+typeNone, "x "+typeImage+", "+image)},
		{name: "keyed, without a counterpart", old: layers("x " + typeNone), new: layers("y " + typeImage + ", " + solid + ", " + image), errs: []string{"Forbidden spec.layers[0].fill.solid"}},
		{name: "stored invalid, change outside", old: both, new: [2]string{both[0], `{"name": "x", "fill": {"type": "None"}}`}},
		{name: "stored invalid, change of a member's content", old: both, new: one(typeSolid, `"solid": {"color": "#000000"}`, image)},
	}
}

const canvases = "/apis/canvas.example.com/v1/namespaces/default/canvas"

// canvasOf returns an object of the example.
func canvasOf(name, resourceVersion string, fields [2]string) []byte {
	return fmt.Appendf(nil, `{"apiVersion": "canvas.example.com/v1", "kind": "Canvas", "metadata": {"name": %q, "namespace": "default", "resourceVersion": %q}, "spec": %s}`,
		name, resourceVersion, canvasSpec(fields))
}

func canvasSpec(fields [2]string) json.RawMessage {
	spec := `{"background": {` + fields[0] + `}`
	if fields[1] != "" {
		spec += `, "layers": [` + fields[1] + `]`
	}
	return json.RawMessage(spec + "}")
}

// TestWebhook installs the webhooks of examples/webhook. The definition has no rules, which
// would reject requests before the validating webhook is called.
func TestWebhook(t *testing.T) {
	part(t, "webhook")
	s := cluster(t)
	ctx := within(t)
	crds := readCRDs(t, filepath.Join(root, "examples", "webhook", "config", "crd"), "webhook")
	installed(t, s, withoutRules(t, crds[0]))
	rows := webhookRows()
	for i, row := range rows {
		if row.old[0] == "" {
			continue
		}
		if a, err := s.Do(ctx, http.MethodPost, canvases, JSON, canvasOf(fmt.Sprint("row-", i), "", row.old)); err != nil || !a.OK() {
			t.Fatalf("%s: %v %s", row.name, err, a)
		}
	}
	installWebhooks(t, s)
	var poll poller
	for probe := canvasOf("probe", "", rows[1].new); ; {
		a, err := s.Do(ctx, http.MethodPost, canvases+"?dryRun=All", JSON, probe)
		if err == nil && a.Code == http.StatusUnprocessableEntity {
			break
		}
		if late := poll.next(ctx); late != nil {
			t.Fatalf("the webhook was not called: %v %s", err, a)
		}
	}
	// Both webhooks were registered at the same time, but each has its own cache.
	waitForMutation(t, s, rows)
	for i, row := range rows {
		t.Run(row.name, func(t *testing.T) { row.check(t, s, fmt.Sprint("row-", i)) })
	}
	suite.report.Count("requests handled by a webhook with the generated functions", len(rows))
}

// waitForMutation waits until the mutating webhook clears a member.
func waitForMutation(t *testing.T, s *Server, rows []webhookRow) {
	t.Helper()
	ctx := within(t)
	i := slices.IndexFunc(rows, func(r webhookRow) bool { return r.want[0] != "" })
	for poll := (poller{}); ; {
		a, _ := rows[i].ask(t, s, fmt.Sprint("row-", i), "?dryRun=All")
		if a.OK() {
			return
		}
		if late := poll.next(ctx); late != nil {
			t.Errorf("the first webhook cleared nothing: %s", a)
			return
		}
	}
}

// ask makes the request. It also returns the object stored before.
func (r webhookRow) ask(t *testing.T, s *Server, name, query string) (a Answer, before any) {
	t.Helper()
	method, path, version := http.MethodPost, canvases, ""
	if r.old[0] != "" {
		a, err := s.Do(t.Context(), http.MethodGet, canvases+"/"+name, "", nil)
		var stored struct {
			Metadata struct{ ResourceVersion string }
		}
		if err != nil || !a.OK() || json.Unmarshal(a.Body, &stored) != nil {
			t.Fatalf("%v %s", err, a)
		}
		method, path, version, before = http.MethodPut, canvases+"/"+name, stored.Metadata.ResourceVersion, specOf(a.Body)
	}
	a, err := s.Do(t.Context(), method, path+query, JSON, canvasOf(name, version, r.new))
	if err != nil {
		t.Fatal(err)
	}
	return a, before
}

func (r webhookRow) check(t *testing.T, s *Server, name string) {
	t.Helper()
	a, before := r.ask(t, s, name, "")
	errs := slices.Clone(r.errs)
	slices.Sort(errs)
	if got := memberErrors(a); !slices.Equal(got, errs) || a.OK() != (len(errs) == 0) {
		t.Errorf("%s with %q, want %q", a, got, errs)
	}
	want := decoded(canvasSpec(r.new))
	if r.want[0] != "" {
		want = decoded(canvasSpec(r.want))
	}
	if !a.OK() {
		want = before
	}
	stored, err := s.Do(t.Context(), http.MethodGet, canvases+"/"+name, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := specOf(stored.Body); !reflect.DeepEqual(got, want) {
		t.Errorf("got stored object %v, want %v", got, want)
	}
}

// startWebhook builds and starts the program that serves webhooks. It returns its address, its
// certificate, and a function that stops it.
func startWebhook(t *testing.T) (address string, certificate []byte, stop func()) {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "webhook")
	if _, err := goCommand(t.Context(), "webhook", nil, "build", "-o", program, "."); err != nil {
		t.Fatal(err)
	}
	certificate = selfSigned(t, dir)
	p, err := startProcess(filepath.Join(dir, "log"), program, "-certificate", filepath.Join(dir, "tls.crt"), "-key", filepath.Join(dir, "tls.key"))
	if err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() { p.stop(5 * time.Second) })
	t.Cleanup(stop)
	ctx := within(t)
	for poll := (poller{}); address == ""; {
		if err := p.ended(); err != nil {
			t.Fatal(err, p.tail())
		}
		if log, err := os.ReadFile(p.log); err == nil {
			if line, _, whole := strings.Cut(string(log), "\n"); whole {
				address = line
			}
		}
		if err := poll.next(ctx); err != nil {
			t.Fatal(err)
		}
	}
	return address, certificate, stop
}

// installWebhooks starts and registers the webhooks.
func installWebhooks(t *testing.T, s *Server) {
	t.Helper()
	address, certificate, _ := startWebhook(t)
	for kind, hook := range map[string]string{"Mutating": "mutate", "Validating": "validate"} {
		text := fmt.Sprintf(`{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "%sWebhookConfiguration", "metadata": {"name": "canvas"}, "webhooks": [{
			"name": "canvas.example.com", "admissionReviewVersions": ["v1"], "sideEffects": "None", "failurePolicy": "Fail",
			"clientConfig": {"url": "https://%s/%s", "caBundle": %q},
			"rules": [{"apiGroups": ["canvas.example.com"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["canvas"]}]}]}`,
			kind, address, hook, base64.StdEncoding.EncodeToString(certificate))
		path := "/apis/admissionregistration.k8s.io/v1/" + strings.ToLower(kind) + "webhookconfigurations"
		if a, err := s.Do(t.Context(), http.MethodPost, path+"?"+Strict, JSON, []byte(text)); err != nil || !a.OK() {
			t.Fatalf("%v %s", err, a)
		}
		t.Cleanup(func() {
			if a, err := s.Do(context.Background(), http.MethodDelete, path+"/canvas", "", nil); err != nil || !a.OK() {
				t.Errorf("%v %s", err, a)
			}
		})
	}
}

// selfSigned writes a key and a certificate for the loopback address, and returns the
// certificate.
func selfSigned(t *testing.T, dir string) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "e2e"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for name, data := range map[string][]byte{"tls.crt": certificate, "tls.key": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certificate
}
