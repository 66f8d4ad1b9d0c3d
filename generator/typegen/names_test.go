package typegen

import (
	"slices"
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
