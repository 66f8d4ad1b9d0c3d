package configgen_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
)

// routes are the requests that the API server serves for a resource and a subresource.
var routes = []string{
	"GET %s", "GET %s?watch=true", "GET %s?fieldSelector=metadata.name=a", "GET %s?watch=true&fieldSelector=metadata.name=a",
	"POST %s", "DELETE %s", "DELETE %s?fieldSelector=metadata.name=a",
	"GET %s/a", "PUT %s/a", "PATCH %s/a", "DELETE %s/a",
	"GET %s/a/scale", "POST %s/a/scale", "PUT %s/a/scale", "PATCH %s/a/scale",
}

// requested are the verbs of requests by resource, as the API server understands them. A verb is named
// if one of its requests has a name, which RBAC compares with resourceNames.
func requested(t *testing.T) (verbs, named map[string][]string) {
	t.Helper()
	factory := request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}
	verbs, named = map[string][]string{}, map[string][]string{}
	for _, route := range routes {
		method, path, _ := strings.Cut(fmt.Sprintf(route, "/apis/apps/v1/namespaces/n/deployments"), " ")
		r, err := http.NewRequest(method, "http://server"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		info, err := factory.NewRequestInfo(r)
		if err != nil {
			t.Fatal(err)
		}
		resource := strings.TrimSuffix(info.Resource+"/"+info.Subresource, "/")
		for _, key := range []string{resource, "*"} {
			verbs[key] = append(verbs[key], info.Verb)
			if info.Name != "" {
				named[key] = append(named[key], info.Verb)
			}
		}
	}
	return verbs, named
}

// TestResourceNames compares the verbs that SG936 reports beside resourceNames with those whose
// requests never have a name.
func TestResourceNames(t *testing.T) {
	verbs, named := requested(t)
	var sources []string
	var wanted [][]string
	reported := 0
	all := []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "impersonate", "escalate", "approve", "bind", "use", "*"}
	for _, verb := range append(slices.Clone(all), strings.Join(all[:8], ";")) {
		for _, resources := range []string{"deployments", "deployments/scale", "*", "deployments;deployments/scale", "deployments/scale;deployments"} {
			for _, names := range []string{"", ",resourceNames=a", ",resourceNames=a;b"} {
				sources = append(sources, "package a\n\n// +kubebuilder:rbac:groups=apps,resources="+resources+names+",verbs="+verb+"\n\nfunc f() {}\n")
				var want []string
				for v := range strings.SplitSeq(verb, ";") {
					never := slices.ContainsFunc(strings.Split(resources, ";"), func(r string) bool {
						return slices.Contains(verbs[r], v) && !slices.Contains(named[r], v)
					})
					if never && names != "" {
						want = append(want, v)
						reported++
					}
				}
				wanted = append(wanted, want)
			}
		}
	}
	for i, findings := range findingsOf(t, sources) {
		var got []string
		for _, d := range findings {
			line := strings.Split(sources[i], "\n")[d.Pos.Line-1]
			if d.Code != "SG936" || !strings.Contains(d.Message, "resourceNames") || d.Hint == "" {
				t.Errorf("%s: unexpected %v", line, d)
				continue
			}
			got = append(got, line[d.Pos.Column-1:d.End.Column-1])
		}
		if !slices.Equal(got, wanted[i]) {
			t.Errorf("%s: got %q, want %q", sources[i], got, wanted[i])
		}
	}
	t.Logf("%d markers, %d verbs reported", len(sources), reported)
}
