package typegen

import (
	"go/token"
	"slices"
	"strings"
	"unicode"
)

// isInitialism reports whether Go names write a word, which is in lower case, in capitals.
func isInitialism(word string) bool {
	switch word {
	case "acl", "acme", "alb", "ami", "api", "arn", "ascii", "asg", "aws", "ca", "cel", "cidr", "cni", "cors", "cpu", "crd", "crl",
		"csi", "csr", "dhcp", "dn", "dns", "ebs", "ec2", "eks", "elb", "ena", "fqdn", "gcp", "gid", "gpu", "grpc", "html", "http",
		"https", "hpa", "iam", "id", "iops", "ip", "ipam", "jks", "json", "jwt", "jwks", "kms", "ldap", "mac", "mtls", "mtu", "nat",
		"nfs", "nlb", "numa", "nvme", "oci", "ocsp", "oid", "oidc", "os", "pkcs", "pvc", "qos", "ram", "rbac", "rpc", "s3", "saml",
		"sha", "sla", "smtp", "sni", "spiffe", "sql", "ssh", "ssl", "sso", "tcp", "tls", "tpp", "ttl", "udp", "ui", "uid", "uri",
		"url", "utf8", "uuid", "vm", "vpc", "vpn", "wal", "xml", "yaml":
		return true
	}
	return false
}

// capitals returns the word in capitals if it is an initialism, possibly in the plural or
// followed by digits.
func capitals(word string) (string, bool) {
	lower := strings.ToLower(word)
	if lower == "ipv4" || lower == "ipv6" {
		return "IP" + lower[2:], true
	}
	if isInitialism(lower) {
		return strings.ToUpper(word), true
	}
	if stem, ok := strings.CutSuffix(lower, "s"); ok && isInitialism(stem) {
		return strings.ToUpper(stem) + "s", true
	}
	if stem := strings.TrimRight(lower, "0123456789"); stem != lower && isInitialism(stem) {
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

// singular returns the name of an element of a list: hostAlias for hostAliases.
func singular(name string) string {
	words := wordsOf(name)
	if len(words) == 0 || !strings.HasSuffix(name, words[len(words)-1]) {
		return name
	}
	last := words[len(words)-1]
	return name[:len(name)-len(last)] + singularWord(last)
}

// singularWord returns the singular of a word, with the capital letters that it has.
func singularWord(word string) string {
	lower := strings.ToLower(word)
	if isInitialism(lower) || len(word) < 3 {
		return word
	}
	if irregular := irregularSingular(lower); irregular != "" {
		return word[:1] + irregular[1:] // both begin with the same letter
	}
	switch {
	case strings.HasSuffix(lower, "ies") && len(word) > 4:
		return word[:len(word)-3] + "y"
	case strings.HasSuffix(lower, "sses"), strings.HasSuffix(lower, "shes"), strings.HasSuffix(lower, "ches"), strings.HasSuffix(lower, "xes"),
		strings.HasSuffix(lower, "aliases"), strings.HasSuffix(lower, "statuses"):
		return word[:len(word)-2]
	case strings.HasSuffix(lower, "ss"), strings.HasSuffix(lower, "us"), strings.HasSuffix(lower, "is"), strings.HasSuffix(lower, "ics"):
		return word
	case strings.HasSuffix(lower, "s"):
		return word[:len(word)-1]
	}
	return word
}

// irregularSingular returns the singular of a word in lower case to which the rules of
// singularWord do not apply, or "".
func irregularSingular(word string) string {
	switch word {
	case "series", "species", "kubernetes", "news", "always", "alias", "atlas", "bias", "canvas", "lens":
		return word
	case "atlases", "biases", "buses", "campuses", "canvases", "consensuses", "focuses", "viruses":
		return strings.TrimSuffix(word, "es")
	case "caches", "cookies", "movies":
		return strings.TrimSuffix(word, "s")
	}
	return map[string]string{
		"indices": "index", "vertices": "vertex", "matrices": "matrix", "axes": "axis", "analyses": "analysis",
		"children": "child", "people": "person",
	}[word]
}

// isDull reports whether none of the words tells by itself what a type is about.
func isDull(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !isDullWord(strings.ToLower(w)) })
}

func isDullWord(lower string) bool {
	switch lower {
	case "args", "config", "configuration", "data", "details", "entry", "field", "format", "from", "info", "item", "key", "kind", "level", "metadata", "mode",
		"name", "operator", "option", "options", "parameter", "parameters", "params", "phase", "policy", "properties", "ref", "reference", "result", "scope",
		"settings", "spec", "state", "status", "strategy", "target", "template", "to", "type", "value", "values", "version":
		return true
	}
	return false
}
