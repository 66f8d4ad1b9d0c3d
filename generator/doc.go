// Package generator goes from Go packages to the bytes of CRD files. Its flow,
// a file or two for each step:
//
//	listRoots    patterns ─▶ packages and their files         (roots.go; list.go, modlist.go, modules.go, goenv.go)
//	world        files ─▶ declarations, on demand             (source.go, decl.go, resolve.go, methods.go)
//	builder      declarations ─▶ drafts: nodes with references (schema.go, known.go; markers meet schemas in apply.go)
//	flattener    drafts ─▶ structural.Schema                  (merge.go)
//	define       kinds ─▶ CRDs                                (kinds.go, crd.go, conversion.go)
//	WriteCRD     CRDs ─▶ bytes, in one pass                   (yaml.go, yamlscalar.go, yamljson.go)
//	Kustomization, HelmTemplate  what installs them needs    (kustomize.go, helm.go)
//	GenerateUnions  declarations and schemas ─▶ Go functions  (normalizers*.go, package templates)
//	verify       CRDs ─▶ what the API server says of them     (verify.go)
//
// Finished schemas are changed by the words of this project (edit.go, own.go,
// declarative.go). Nothing is type-checked but constants (constants.go): a name is
// resolved through imports and package scopes, and only files that declare a
// reached type are parsed. What the
// bytes need of controller-gen's history lives in two places: the order of
// merging in merge.go, and the YAML style in yamlscalar.go.
//
// It knows go/packages, Go syntax and controller-tools' markers. It does not
// know flags, the working directory of the process, or how files reach the
// disk. A finding about the user's source is a diagnostic; an error is a
// failure of the tool or its surroundings.
package generator
