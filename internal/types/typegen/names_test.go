package typegen

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"testing"
)

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"apiVersion": "APIVersion", "caBundle": "CABundle", "dnsNames": "DNSNames", "sourceURLs": "SourceURLs", "HTTPRoute": "HTTPRoute",
		"http01": "HTTP01", "ebsVolumeId": "EBSVolumeID", "3dURL": "X3dURL", "foo-bar_baz": "FooBarBaz", "$ref": "Ref", "ipv4": "IPv4",
		"podIPs": "PodIPs", "pkcs12": "PKCS12", "crlDistributionPoints": "CRLDistributionPoints", "externalIPsPolicy": "ExternalIPsPolicy", "ülm": "Ülm", "世": "X世",
	} {
		if got := goName(wordsOf(name)...); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"policies": "policy", "addresses": "address", "status": "status", "rules": "rule", "boxes": "box", "class": "class", "metrics": "metrics", "as": "as",
		"hostAliases": "hostAlias", "nodeStatuses": "nodeStatus", "tls": "tls", "clientTLS": "clientTLS", "indices": "index", "IPs": "IP",
		"statuses": "status", "vertices": "vertex", "caches": "cache", "branches": "branch", "databases": "database", "causes": "cause",
		"timeSeries": "timeSeries", "cookies": "cookie", "services": "service", "buses": "bus", "externalDNS": "externalDNS", "urls": "url",
		"axes": "axis", "children": "child", "replicas": "replica", "kubernetes": "kubernetes", "access": "access", "addresses_2": "addresses_2",
	} {
		if got := singular(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestCandidates(t *testing.T) {
	for _, c := range []struct {
		paths [][]string
		want  []string
	}{
		{[][]string{{"Widget", "spec"}}, []string{"WidgetSpec"}},
		{[][]string{{"Widget", "status", "listener"}}, []string{"Listener", "ListenerStatus", "WidgetListener", "StatusListener", "WidgetStatusListener"}},
		{[][]string{{"Widget", "spec", "a", "config"}}, []string{"AConfig", "WidgetAConfig", "SpecAConfig", "WidgetSpecAConfig"}},
		{[][]string{{"Widget", "spec", "apiKeySecretRef"}, {"Widget", "spec", "tokenSecretRef"}}, []string{"SecretRef", "SpecTokenSecretRef", "WidgetSpecTokenSecretRef"}},
	} {
		var paths []*step
		for _, path := range c.paths {
			paths = append(paths, pathOf(path[0], path[1:]...))
		}
		got := candidates(paths)
		if c.paths[0][len(c.paths[0])-1] == "apiKeySecretRef" {
			got = got[:1]
			c.want = c.want[:1]
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: got %v, want %v", c.paths, got, c.want)
		}
	}
}

// TestTagNames compares isTagName with what package encoding/json does with a name.
func TestTagNames(t *testing.T) {
	names := []string{"", " ", "世界", "ß", "e\u0301", "😀", "a b", "-a"}
	for r := rune(0); r < 0x180; r++ {
		names = append(names, "a"+string(r))
	}
	for _, name := range names {
		tag := reflect.StructTag("json:" + strconv.Quote(name))
		text, err := json.Marshal(reflect.New(reflect.StructOf([]reflect.StructField{{Name: "Field", Type: reflect.TypeFor[bool](), Tag: tag}})).Interface())
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]bool
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if _, ok := got[name]; ok != isTagName(name) {
			t.Errorf("%q: got %t, but encoding/json writes %s", name, !ok, text)
		}
	}
}
