package typegen

import (
	"go/token"
	"slices"
	"strings"
	"unicode"
)

// initialisms are the words that Go names write in capitals.
func initialisms() []string {
	return []string{
		"acl", "acme", "alb", "ami", "api", "arn", "ascii", "asg", "aws", "ca", "cel", "cidr", "cni", "cors", "cpu", "crd", "crl",
		"csi", "csr", "dhcp", "dn", "dns", "ebs", "ec2", "eks", "elb", "ena", "fqdn", "gcp", "gid", "gpu", "grpc", "html", "http",
		"https", "hpa", "iam", "id", "iops", "ip", "ipam", "jks", "json", "jwt", "jwks", "kms", "ldap", "mac", "mtls", "mtu", "nat",
		"nfs", "nlb", "numa", "nvme", "oci", "ocsp", "oid", "oidc", "os", "pkcs", "pvc", "qos", "ram", "rbac", "rpc", "s3", "saml",
		"sha", "sla", "smtp", "sni", "spiffe", "sql", "ssh", "ssl", "sso", "tcp", "tls", "tpp", "ttl", "udp", "ui", "uid", "uri",
		"url", "utf8", "uuid", "vm", "vpc", "vpn", "wal", "xml", "yaml",
	}
}

// capitals returns the word in capitals if it is an initialism, possibly in the plural or
// followed by digits.
func capitals(word string) (string, bool) {
	lower := strings.ToLower(word)
	if lower == "ipv4" || lower == "ipv6" {
		return "IP" + lower[2:], true
	}
	if slices.Contains(initialisms(), lower) {
		return strings.ToUpper(word), true
	}
	if stem, ok := strings.CutSuffix(lower, "s"); ok && slices.Contains(initialisms(), stem) {
		return strings.ToUpper(stem) + "s", true
	}
	if stem := strings.TrimRight(lower, "0123456789"); stem != lower && slices.Contains(initialisms(), stem) {
		return strings.ToUpper(word), true
	}
	return "", false
}

// wordsOf splits a JSON name into words: at characters that are not letters or digits, and
// before a capital letter that begins a word. "apiKeyURLs" is api, Key, URLs.
func wordsOf(name string) []string {
	var out []string
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		runes := []rune(part)
		start := 0
		for i := 1; i < len(runes); i++ {
			switch {
			case !unicode.IsUpper(runes[i]):
			case !unicode.IsUpper(runes[i-1]), i+1 < len(runes) && unicode.IsLower(runes[i+1]) && !endsPlural(runes, i+1):
				out = append(out, string(runes[start:i]))
				start = i
			}
		}
		out = append(out, string(runes[start:]))
	}
	return out
}

// endsPlural reports whether the rune is the s of an initialism in the plural, as in "URLs".
func endsPlural(runes []rune, i int) bool {
	return runes[i] == 's' && (i+1 == len(runes) || unicode.IsUpper(runes[i+1]))
}

// camel joins words, each with a capital letter at its start.
func camel(words ...string) string {
	var out strings.Builder
	for _, word := range words {
		if c, ok := capitals(word); ok {
			out.WriteString(c)
			continue
		}
		runes := []rune(word)
		runes[0] = unicode.ToUpper(runes[0])
		out.WriteString(string(runes))
	}
	return out.String()
}

// goName returns words as an exported Go name.
func goName(words ...string) string {
	name := camel(words...)
	if token.IsExported(name) {
		return name
	}
	return "X" + name // it begins with a digit, or a letter without case
}

// singular returns the name of an element of a list.
func singular(name string) string {
	lower := strings.ToLower(name)
	switch {
	case strings.HasSuffix(lower, "ies") && len(name) > 4:
		return name[:len(name)-3] + "y"
	case strings.HasSuffix(lower, "sses"), strings.HasSuffix(lower, "shes"), strings.HasSuffix(lower, "ches"), strings.HasSuffix(lower, "xes"):
		return name[:len(name)-2]
	case strings.HasSuffix(lower, "ss"), strings.HasSuffix(lower, "us"), strings.HasSuffix(lower, "is"), strings.HasSuffix(lower, "ics"), len(name) < 3:
		return name
	case strings.HasSuffix(lower, "s"):
		return name[:len(name)-1]
	}
	return name
}

// isDull reports whether none of the words tells by itself what a type is about.
func isDull(words []string) bool {
	dull := []string{
		"args", "config", "configuration", "data", "details", "entry", "field", "format", "from", "info", "item", "key", "kind", "level", "metadata", "mode",
		"name", "operator", "option", "options", "parameter", "parameters", "params", "phase", "policy", "properties", "ref", "reference", "result", "scope",
		"settings", "spec", "state", "status", "strategy", "target", "template", "to", "type", "value", "values", "version",
	}
	return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(dull, strings.ToLower(w)) })
}
