package conversions

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
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

func convert(t *testing.T, handler http.Handler, to, object string) string {
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
	if answer.Response == nil || answer.Response.Result.Status != "Success" || len(answer.Response.ConvertedObjects) != 1 {
		t.Fatalf("got %s", recorder.Body)
	}
	return string(answer.Response.ConvertedObjects[0].Raw)
}
