package publish

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// shapesHandler serves kinds in two groups.
func shapesHandler(t testing.TB) (http.Handler, []Document) {
	t.Helper()
	resources := read(t, definition("ex.io", "Shape", "v1", shapeSpec)+definition("ex.io", "Shade", "v1beta1", "type: string")+definition("other.io", "Colour", "v2", "type: string"))
	resources[0].Status, resources[0].Scale, resources[0].ShortNames = true, true, []string{"sh"}
	documents, err := Documents(resources, Options{OmitFieldValidation: true})
	if err != nil {
		t.Fatal(err)
	}
	h, err := NewHandler(resources, documents)
	if err != nil {
		t.Fatal(err)
	}
	return h, documents
}

// ask sends a request with headers, given as names and values in turn.
func ask(h http.Handler, method, target string, headers ...string) *http.Response {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t testing.TB, r *http.Response) []byte {
	t.Helper()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestServedDocuments(t *testing.T) {
	h, documents := shapesHandler(t)
	for _, d := range documents {
		r := ask(h, "GET", "/openapi/"+d.Path)
		if r.StatusCode != 200 || !bytes.Equal(body(t, r), d.Data) || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("ETag") != `"`+hashOf(d.Data)+`"` {
			t.Errorf("%s: %s %v", d.Path, r.Status, r.Header)
		}
		if head := ask(h, "HEAD", "/openapi/"+d.Path); head.StatusCode != 200 || len(body(t, head)) > 0 || head.Header.Get("Content-Length") != r.Header.Get("Content-Length") {
			t.Errorf("HEAD %s: %s %v", d.Path, head.Status, head.Header)
		}
		packed := ask(h, "GET", "/openapi/"+d.Path, "Accept-Encoding", "br, gzip;q=0.5")
		unpacked, err := gzip.NewReader(packed.Body)
		if err != nil || packed.Header.Get("Content-Encoding") != "gzip" {
			t.Fatalf("%s: %v %v", d.Path, err, packed.Header)
		}
		if data, err := io.ReadAll(unpacked); err != nil || !bytes.Equal(data, d.Data) {
			t.Errorf("%s by gzip: %v", d.Path, err)
		}
		if r := ask(h, "GET", "/openapi/"+d.Path, "Accept-Encoding", "gzip; q=0.0, br"); r.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s is compressed although gzip is rejected", d.Path)
		}
		for tag, want := range map[string]int{`"` + hashOf(d.Data) + `"`: 304, `"x", W/"` + hashOf(d.Data) + `"`: 304, "*": 304, `"x"`: 200} {
			if r := ask(h, "GET", "/openapi/"+d.Path, "If-None-Match", tag); r.StatusCode != want || want == 304 && len(body(t, r)) > 0 {
				t.Errorf("%s if not %.20s: %s", d.Path, tag, r.Status)
			}
		}
	}
}

// TestServedHash follows the URLs of the index, as caching clients do.
func TestServedHash(t *testing.T) {
	h, _ := shapesHandler(t)
	url, _ := at(t, body(t, ask(h, "GET", "/openapi/v3")), "paths", "apis/ex.io/v1", "serverRelativeURL").(string)
	if r := ask(h, "GET", url); r.StatusCode != 200 || r.Header.Get("Cache-Control") != "public, immutable" {
		t.Errorf("%s: %s %v", url, r.Status, r.Header)
	}
	old, _, _ := strings.Cut(url, "=")
	if r := ask(h, "GET", old+"=OLD"); r.StatusCode != 301 || r.Header.Get("Location") != url {
		t.Errorf("another hash: %s %v", r.Status, r.Header)
	}
}

func TestServedProtobuf(t *testing.T) {
	h, documents := shapesHandler(t)
	for accept, media := range map[string]string{
		"": mediaJSON, "*/*": mediaJSON, "application/json": mediaJSON, "application/*": mediaJSON, "text/html, application/json;q=0.1": mediaJSON,
		mediaProtobufAsked: mediaProtobuf, mediaProtobuf: mediaProtobuf, "application/json;q=0.5, " + mediaProtobufAsked: mediaProtobuf,
	} {
		if r := ask(h, "GET", "/openapi/v2", "Accept", accept); r.StatusCode != 200 || r.Header.Get("Content-Type") != media {
			t.Errorf("%q: %s %s, want %s", accept, r.Status, r.Header.Get("Content-Type"), media)
		}
	}
	for _, target := range []string{"/openapi/v2", "/openapi/v3", "/openapi/v3/apis/ex.io/v1"} {
		if r := ask(h, "GET", target, "Accept", "text/html"); r.StatusCode != 406 {
			t.Errorf("%s as text: %s", target, r.Status)
		}
	}
	r := ask(h, "GET", "/openapi/v2", "Accept", mediaProtobufAsked)
	var document openapi_v2.Document
	if err := proto.Unmarshal(body(t, r), &document); err != nil {
		t.Fatal(err)
	}
	whole, err := openapi_v2.ParseDocument(documents[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	sortNamed(whole)
	sortNamed(&document)
	if !proto.Equal(&document, whole) {
		t.Error("the joined parts differ from the document")
	}
	text, err := document.YAMLValue("")
	if err != nil || !strings.Contains(string(text), "io.ex.v1.Shape:") || !strings.Contains(string(text), "x-kubernetes-unions:") {
		t.Errorf("%v %.400s", err, text)
	}
	if tag := r.Header.Get("ETag"); tag == `"`+hashOf(documents[0].Data)+`"` {
		t.Error("protobuf has the tag of JSON")
	}
}

// sortNamed sorts the named lists of a document.
func sortNamed(d *openapi_v2.Document) {
	slices.SortFunc(d.Definitions.AdditionalProperties, func(a, b *openapi_v2.NamedSchema) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(d.Paths.Path, func(a, b *openapi_v2.NamedPathItem) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(d.Parameters.AdditionalProperties, func(a, b *openapi_v2.NamedParameter) int { return strings.Compare(a.Name, b.Name) })
}

func TestServedDiscovery(t *testing.T) {
	h, _ := shapesHandler(t)
	for target, want := range map[string]string{
		"/api": `{"kind":"APIVersions","versions":[],"serverAddressByClientCIDRs":[]}`,
		"/apis": `{"kind":"APIGroupList","apiVersion":"v1","groups":[
			{"name":"ex.io","versions":[{"groupVersion":"ex.io/v1","version":"v1"},{"groupVersion":"ex.io/v1beta1","version":"v1beta1"}],"preferredVersion":{"groupVersion":"ex.io/v1","version":"v1"}},
			{"name":"other.io","versions":[{"groupVersion":"other.io/v2","version":"v2"}],"preferredVersion":{"groupVersion":"other.io/v2","version":"v2"}}]}`,
		"/apis/other.io": `{"kind":"APIGroup","apiVersion":"v1","name":"other.io","versions":[{"groupVersion":"other.io/v2","version":"v2"}],"preferredVersion":{"groupVersion":"other.io/v2","version":"v2"}}`,
		"/apis/ex.io/v1": `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"ex.io/v1","resources":[
			{"name":"shapes","singularName":"shape","namespaced":true,"kind":"Shape","shortNames":["sh"],"verbs":["delete","deletecollection","get","list","patch","create","update","watch"]},
			{"name":"shapes/scale","singularName":"","namespaced":true,"group":"autoscaling","version":"v1","kind":"Scale","verbs":["get","patch","update"]},
			{"name":"shapes/status","singularName":"","namespaced":true,"kind":"Shape","verbs":["get","patch","update"]}]}`,
	} {
		r := ask(h, "GET", target, "Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json")
		if r.StatusCode != 200 || r.Header.Get("Content-Type") != mediaJSON {
			t.Errorf("%s: %s", target, r.Status)
		}
		wantJSON(t, target, at(t, body(t, r)), want)
	}
	wantJSON(t, "version", at(t, body(t, ask(h, "GET", "/version")), "gitVersion"), `"v`+kubeVersion+`.0-schemagen"`)
}

// hostile returns malformed or malicious requests with the expected status codes.
func hostile() []struct {
	method, target string
	want           int
} {
	long := strings.Repeat("a", 4000)
	return []struct {
		method, target string
		want           int
	}{
		{"GET", "/", 404}, {"GET", "/openapi", 404}, {"GET", "/openapi/v2/", 404}, {"GET", "/openapi//v2", 404}, {"GET", "/OPENAPI/V2", 404},
		{"GET", "/openapi/v3/../v2", 404}, {"GET", "/openapi/../../../../etc/passwd", 404}, {"GET", "/../publish/handler.go", 404},
		{"GET", "/openapi/v3/apis/ex.io/v1/../../../../v2", 404}, {"GET", "/openapi/v3/index.json", 404}, {"GET", "/openapi%2Fv2", 400},
		{"GET", "/openapi/%2e%2e/%2e%2e/etc/passwd", 400}, {"GET", "/%6fpenapi/v2", 400}, {"GET", "/openapi/v2%00", 404}, {"GET", "/openapi/v2%0d%0aX:%20y", 400},
		{"GET", "/openapi/v3/apis%2Fex.io%2Fv1", 400}, {"GET", "/..%5c..%5cetc", 400}, {"GET", "/openapi/" + long, 404}, {"GET", "/openapi/v3/" + strings.Repeat("../", 1000), 404},
		{"GET", "/apis/ex.io/v1/namespaces/default/shapes/a", 404}, {"GET", "/apis/ex.io/v1/shapes", 404}, {"GET", "/api/v1/namespaces/default/secrets", 404},
		{"GET", "/apis/ex.io/v1/namespaces/a%2Fb/shapes", 400}, {"HEAD", "/x", 404},
		{"POST", "/openapi/v2", 405}, {"PUT", "/apis/ex.io/v1/namespaces/default/shapes/a", 405}, {"PATCH", "/apis", 405}, {"DELETE", "/apis/ex.io/v1/shapes", 405},
		{"OPTIONS", "/openapi/v2", 405}, {"TRACE", "/openapi/v2", 405}, {"CONNECT", "/openapi/v2", 405}, {"PROPFIND", "/", 405}, {"get", "/openapi/v2", 405}, {long, "/", 405},
	}
}

// TestHostileRequests checks that each response is a status that kubectl can show.
func TestHostileRequests(t *testing.T) {
	h, _ := shapesHandler(t)
	for _, c := range hostile() {
		r := ask(h, c.method, c.target)
		data := body(t, r)
		var status metav1.Status
		if err := json.Unmarshal(data, &status); err != nil || r.StatusCode != c.want || int(status.Code) != c.want || status.Reason == "" || len(data) > 2000 {
			t.Errorf("%.20s %.80s: %s %v, want %d: %.300s", c.method, c.target, r.Status, err, c.want, data)
		}
		if r.Header.Get("X-Content-Type-Options") != "nosniff" || r.StatusCode == 405 != (r.Header.Get("Allow") == "GET, HEAD") {
			t.Errorf("%.20s %.80s: %v", c.method, c.target, r.Header)
		}
	}
	if r := ask(h, "GET", "/apis/ex.io/v1/namespaces/default/shapes/a"); !strings.Contains(string(body(t, r)), `"reason":"NotFound"`) {
		t.Error("kubectl apply is not told that an object does not exist")
	}
}

// TestBodyIsNotRead sends a body that fails when it is read.
func TestBodyIsNotRead(t *testing.T) {
	h, _ := shapesHandler(t)
	for _, method := range []string{"GET", "POST"} {
		r := httptest.NewRequest(method, "/openapi/v2", failingReader{t})
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Result().Header.Get("Connection") != "close" {
			t.Errorf("%s: the connection is kept", method)
		}
	}
}

type failingReader struct{ t *testing.T }

func (f failingReader) Read([]byte) (int, error) {
	f.t.Error("the body is read")
	return 0, io.EOF
}

// FuzzHandler checks that no path, method or header returns anything but a document.
func FuzzHandler(f *testing.F) {
	h, documents := shapesHandler(f)
	known := map[string]bool{"/api": true, "/apis": true, "/version": true, "/apis/ex.io": true, "/apis/other.io": true,
		"/apis/ex.io/v1": true, "/apis/ex.io/v1beta1": true, "/apis/other.io/v2": true}
	for _, d := range documents {
		known["/openapi/"+d.Path] = true
	}
	for _, c := range hostile() {
		f.Add(c.method, c.target, "", "gzip", "")
	}
	f.Add("GET", "/openapi/v2", mediaProtobufAsked, "gzip;q=", `W/"`)
	f.Add("GET", "/openapi/v2", "application/json;q=x", ";q=0.,", "*")
	f.Add("GET", "/openapi/v3/apis/ex.io/v1?hash=1&hash=2;%zz", "", "", "")
	f.Fuzz(func(t *testing.T, method, target, accept, encoding, match string) {
		r, err := http.NewRequest(method, "http://x"+target, nil)
		if err != nil {
			return
		}
		for name, value := range map[string]string{"Accept": accept, "Accept-Encoding": encoding, "If-None-Match": match} {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		code := w.Result().StatusCode
		if code >= 500 || code < 400 && (!known[r.URL.Path] || !slices.Contains([]string{"GET", "HEAD"}, r.Method)) {
			t.Errorf("%q %q: %d", method, target, code)
		}
	})
}
