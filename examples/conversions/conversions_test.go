package conversions

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// TestHandler converts an object to the hub and back, as the API server asks for it.
func TestHandler(t *testing.T) {
	handler, err := Handler()
	if err != nil {
		t.Fatal(err)
	}
	object := `{"kind":"Backup","apiVersion":"backups.example.com/v1beta1","metadata":{"name":"a"},"spec":{"schedule":"0 3 * * *","drain":"1.5s"},"status":{}}`
	first := convert(t, handler, "backups.example.com/v1", object)
	want := `{"kind":"Backup","apiVersion":"backups.example.com/v1","metadata":{"name":"a","annotations":{"backups.example.com/conversion":"{\"v1beta1\":{\"spec\":{\"drain\":\"1.5s\"}}}"}},` +
		`"spec":{"cronSchedule":"0 3 * * *","deletion":{"drainSeconds":1}},"status":{}}`
	if first != want {
		t.Errorf("got\n%s\nwant\n%s", first, want)
	}
	if again := convert(t, handler, "backups.example.com/v1beta1", first); again != object {
		t.Errorf("got\n%s\nwant\n%s", again, object)
	}
}

// TestHandlerRefuses sends what the webhook has no conversion for.
func TestHandlerRefuses(t *testing.T) {
	handler, err := Handler()
	if err != nil {
		t.Fatal(err)
	}
	const hub = "backups.example.com/v1"
	for name, row := range map[string]struct{ to, object, want string }{
		"unknown target":  {"backups.example.com/v7", `{"kind":"Backup","apiVersion":"backups.example.com/v1beta1"}`, "v7"},
		"unknown version": {hub, `{"kind":"Backup","apiVersion":"backups.example.com/v7"}`, "v7"},
		"unknown kind":    {hub, `{"kind":"Copy","apiVersion":"backups.example.com/v1beta1"}`, "Copy"},
		"no kind":         {hub, `{"spec":{"schedule":"1"}}`, "Kind"},
		"not an object":   {hub, `["Backup"]`, "json"},
		"wrong type":      {hub, `{"kind":"Backup","apiVersion":"backups.example.com/v1beta1","spec":{"schedule":1}}`, "schedule"},
	} {
		answer := review(t, handler, row.to, row.object)
		if answer == nil || answer.Result.Status != "Failure" || len(answer.ConvertedObjects) > 0 || !strings.Contains(answer.Result.Message, row.want) {
			t.Errorf("%s: got %+v", name, answer)
		}
	}
}

func convert(t *testing.T, handler http.Handler, to, object string) string {
	t.Helper()
	response := review(t, handler, to, object)
	if response == nil || response.Result.Status != "Success" || len(response.ConvertedObjects) != 1 {
		t.Fatalf("got %+v", response)
	}
	return string(response.ConvertedObjects[0].Raw)
}

// review asks for a conversion, as the API server does.
func review(t *testing.T, handler http.Handler, to, object string) *apiextensionsv1.ConversionResponse {
	t.Helper()
	review := apiextensionsv1.ConversionReview{Request: &apiextensionsv1.ConversionRequest{UID: "u", DesiredAPIVersion: to}}
	review.APIVersion, review.Kind = "apiextensions.k8s.io/v1", "ConversionReview"
	review.Request.Objects = append(review.Request.Objects, runtime.RawExtension{Raw: []byte(object)})
	body, err := json.Marshal(review)
	if err != nil {
		t.Fatal(err)
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/convert", bytes.NewReader(body)))
	var answer apiextensionsv1.ConversionReview
	if err := json.Unmarshal(recorder.Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Response
}
