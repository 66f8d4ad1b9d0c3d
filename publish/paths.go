package publish

import (
	"slices"
	"strings"
	"unicode"
)

// operation is a request that a resource supports (buildRoute of the server's OpenAPI
// builder).
type operation struct {
	path, method string
	// action is the server's name of the action: get, list, put, patch, post, delete or
	// deletecollection. It determines parameters and responses.
	action string
	// verb is the first word of the operation's name and description.
	verb string
	// subresource is status, scale or empty.
	subresource string
	// answers is the definition of the response, takes that of the request body of put and
	// post, or empty.
	answers, takes string
	// allNamespaces is set for requests over all namespaces.
	allNamespaces bool
}

// definition returns the name of the definition of a kind of the group version.
func (r *Resource) definition(kind string) string {
	parts := strings.Split(r.Group, ".")
	slices.Reverse(parts)
	return strings.Join(parts, ".") + "." + r.Version + "." + kind
}

// operations returns all operations of the resource.
func (r *Resource) operations() []operation {
	const status = metaPrefix + "Status"
	kind := r.definition(r.Kind)
	list := r.definition(r.ListKind)
	root := "/apis/" + r.Group + "/" + r.Version + "/"
	collection := root + r.Plural
	var out []operation
	if r.Namespaced {
		out = append(out, operation{path: collection, method: "get", action: "list", verb: "list", answers: list, allNamespaces: true})
		collection = root + "namespaces/{namespace}/" + r.Plural
	}
	item := collection + "/{name}"
	out = append(out,
		operation{path: collection, method: "get", action: "list", verb: "list", answers: list},
		operation{path: collection, method: "post", action: "post", verb: "create", answers: kind, takes: kind},
		operation{path: collection, method: "delete", action: "deletecollection", verb: "deletecollection", answers: status},
		operation{path: item, method: "get", action: "get", verb: "read", answers: kind},
		operation{path: item, method: "put", action: "put", verb: "replace", answers: kind, takes: kind},
		operation{path: item, method: "delete", action: "delete", verb: "delete", answers: status},
		operation{path: item, method: "patch", action: "patch", verb: "patch", answers: kind},
	)
	for _, sub := range []struct {
		name, definition string
		is               bool
	}{{"status", kind, r.Status}, {"scale", scaleDefinition, r.Scale}} {
		if !sub.is {
			continue
		}
		path := item + "/" + sub.name
		out = append(out,
			operation{path: path, method: "get", action: "get", verb: "read", answers: sub.definition, subresource: sub.name},
			operation{path: path, method: "put", action: "put", verb: "replace", answers: sub.definition, takes: sub.definition, subresource: sub.name},
			operation{path: path, method: "patch", action: "patch", verb: "patch", answers: sub.definition, subresource: sub.name},
		)
	}
	return out
}

const scaleDefinition = "io.k8s.api.autoscaling.v1.Scale"

// addPaths adds the paths of a resource.
func (d dialect) addPaths(paths object, r *Resource, s *static) {
	operations := r.operations()
	for len(operations) > 0 {
		path := operations[0].path
		end := slices.IndexFunc(operations, func(o operation) bool { return o.path != path })
		if end < 0 {
			end = len(operations)
		}
		paths[path] = d.path(r, operations[:end], s)
		operations = operations[end:]
	}
}

// path renders a path. Parameters of all of its operations are on the path.
func (d dialect) path(r *Resource, operations []operation, s *static) object {
	lists := make([][]parameter, len(operations))
	for i, o := range operations {
		lists[i] = d.parameters(r, o, s)
	}
	var shared []parameter
	for _, p := range lists[0] {
		everywhere := !slices.ContainsFunc(lists, func(list []parameter) bool {
			return !slices.ContainsFunc(list, p.equals)
		})
		if everywhere {
			shared = append(shared, p)
		}
	}
	out := object{}
	addList(out, "parameters", valuesOf(shared))
	for i, o := range operations {
		own := slices.DeleteFunc(lists[i], func(p parameter) bool { return slices.ContainsFunc(shared, p.equals) })
		out[o.method] = d.operation(r, o, own, s)
	}
	return out
}

func valuesOf(list []parameter) []any {
	var out []any
	for _, p := range list {
		out = append(out, p.Value)
	}
	return out
}

// parameters returns the parameters of a request, sorted by name.
func (d dialect) parameters(r *Resource, o operation, s *static) []parameter {
	source := s.V3
	if d.v2 {
		source = s.V2
	}
	out := slices.Clone(source.Parameters[o.action])
	if d.OmitFieldValidation {
		out = slices.DeleteFunc(out, func(p parameter) bool { return p.Name == "fieldValidation" })
	}
	if strings.Contains(o.path, "{namespace}") {
		out = append(out, source.Namespace)
	}
	if strings.Contains(o.path, "{name}") {
		out = append(out, d.nameParameter(r))
	}
	if d.v2 && o.takes != "" {
		out = append(out, newParameter("body", object{"name": "body", "in": "body", "required": true, "schema": d.ref(o.takes)}))
	}
	slices.SortFunc(out, func(a, b parameter) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func (d dialect) nameParameter(r *Resource) parameter {
	out := object{"name": "name", "in": "path", "required": true, "description": "name of the " + r.Kind}
	if d.v2 {
		out["type"] = "string"
		out["uniqueItems"] = true
	} else {
		out["schema"] = object{"type": "string", "uniqueItems": true}
	}
	return newParameter("name", out)
}

func (d dialect) operation(r *Resource, o operation, parameters []parameter, s *static) object {
	group := strings.TrimSuffix(r.Group, ".k8s.io")
	out := object{
		"description":         r.describe(o),
		"operationId":         o.verb + capitalized(group) + capitalized(r.Version) + capitalized(r.operationName(o)),
		"tags":                []any{identifier(group) + "_" + identifier(r.Version)},
		"responses":           d.responses(o),
		"x-kubernetes-action": o.action,
		gvkMarker:             r.gvk(r.Kind),
	}
	if o.verb == "deletecollection" {
		// The server removes the shorter verb that is a prefix of the name.
		out["operationId"] = "delete" + capitalized(group) + capitalized(r.Version) + capitalized("collection"+r.operationName(o))
	}
	addList(out, "parameters", valuesOf(parameters))
	media := []string{"application/json", "application/yaml"}
	switch {
	case d.v2:
		out["produces"] = media
		out["schemes"] = []string{"https"}
		out["consumes"] = media
		if o.action == "patch" {
			out["consumes"] = []string{"application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"}
		}
	case o.takes != "":
		out["requestBody"] = object{"content": content(d.ref(o.takes)), "required": true}
	case s.V3.Bodies[o.action] != nil:
		out["requestBody"] = s.V3.Bodies[o.action]
	}
	return out
}

// operationName returns the name of an operation without its verb.
func (r *Resource) operationName(o operation) string {
	switch {
	case o.allNamespaces:
		return r.Kind + "ForAllNamespaces"
	case r.Namespaced:
		return "Namespaced" + r.Kind + title(o.subresource)
	}
	return r.Kind + title(o.subresource)
}

func title(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// responses returns the responses by status code.
func (d dialect) responses(o operation) object {
	answer := func(description string) object {
		if d.v2 {
			return object{"description": description, "schema": d.ref(o.answers)}
		}
		return object{"description": description, "content": content(d.ref(o.answers))}
	}
	out := object{"200": answer("OK"), "401": object{"description": "Unauthorized"}}
	if o.action == "post" || o.action == "put" {
		out["201"] = answer("Created")
	}
	if o.action == "post" || o.action == "delete" {
		out["202"] = answer("Accepted")
	}
	return out
}

func content(schema object) object {
	return object{"application/json": object{"schema": schema}, "application/yaml": object{"schema": schema}}
}

// describe returns the description of an operation (descriptionFor of the server's OpenAPI
// builder).
func (r *Resource) describe(o operation) string {
	sub := ""
	if o.subresource != "" {
		sub = " " + o.subresource + " of"
	}
	switch o.verb {
	case "list":
		return "list" + sub + " objects of kind " + r.Kind
	case "read", "replace":
		return o.verb + sub + " the specified " + r.Kind
	case "patch":
		return "partially update" + sub + " the specified " + r.Kind
	case "deletecollection":
		return "delete collection of" + sub + " " + r.Kind
	}
	return o.verb + sub + articleFor(r.Kind) + r.Kind
}

// articleFor returns the article with its spaces, or a space if the noun looks like a
// plural (GetArticleForNoun of the server's endpoints).
func articleFor(noun string) string {
	switch {
	case noun == "", strings.HasSuffix(noun, "s") && !strings.HasSuffix(noun, "ss"):
		return " "
	case strings.ContainsRune("aeiouAEIOU", rune(noun[0])):
		return " an "
	}
	return " a "
}

// capitalized is like identifier, but begins with an upper-case letter.
func capitalized(s string) string {
	id := []rune(identifier(s))
	if len(id) > 0 {
		id[0] = unicode.ToUpper(id[0])
	}
	return string(id)
}

// identifier converts a text to a part of an operation ID (ToValidOperationID of the
// server's endpoints).
func identifier(s string) string {
	var b strings.Builder
	capital := false
	for i, c := range s {
		switch {
		case !unicode.IsLetter(c) && c != '_' && (i == 0 || !unicode.IsDigit(c)):
			capital = true
		case capital:
			b.WriteRune(unicode.ToUpper(c))
			capital = false
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}
