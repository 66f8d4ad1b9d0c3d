package dryrun

import (
	"fmt"
	"slices"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/structural"
)

// storageOf returns the storage version of a definition, or nil if there is none, or if a webhook
// converts between the versions.
func (t *Trial) storageOf(d *crd.Definition) *Kind {
	spec := &d.CRD.Spec
	i := slices.IndexFunc(spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Storage })
	isWebhook := spec.Conversion != nil && spec.Conversion.Strategy == apiextensionsv1.WebhookConverter
	if i < 0 || len(spec.Versions) < 2 || isWebhook || d.Converted != nil && d.Converted() {
		return nil
	}
	return newKind(d, i, t.shared)
}

// storedAs makes the server of a kind store objects in another version, if storage is one.
func (k *Kind) storedAs(t *Trial, storage *Kind) {
	if storage == nil || k.isStorage {
		return
	}
	with := func(prepare, prepareStorage func() (*apiserver.Kind, error)) func() (*apiserver.Kind, error) {
		return sync.OnceValues(func() (*apiserver.Kind, error) {
			server, err := prepare()
			if err != nil || t.Converts {
				return server, err
			}
			stored, err := prepareStorage()
			if err != nil {
				return nil, fmt.Errorf("the storage version: %w", err)
			}
			return server.StoredAs(stored), nil
		})
	}
	k.server = with(k.server, storage.server)
	k.proposal = with(k.proposal, storage.proposal)
}

// stored reports what the object loses and gets because it is stored in another version.
func (k *Kind) stored(o *Object, s *apiserver.Storage) diag.List {
	var out diag.List
	because := fmt.Sprintf("the storage version %s does not have it, and no webhook converts", s.Version)
	position := func(path *structural.ObjectPath) diag.Position { return o.position(o.manifest.PositionOf(path)) }
	for _, path := range s.Dropped {
		out = append(out, droppedField.At(position(path), "", "%s is dropped: %s", path, because))
	}
	for _, text := range s.Metadata {
		out = append(out, droppedField.At(o.position(o.manifest.Position(text)), "", "%s is dropped: it is not a field of metadata in the storage version %s", text, s.Version))
	}
	for _, path := range s.Nulls {
		out = append(out, droppedField.At(position(path), "", "%s is dropped: it is null, but not nullable in the storage version %s", path, s.Version))
	}
	for _, path := range s.Removed {
		out = append(out, droppedField.At(o.Pos, "", "%s of the stored object is removed: version %s does not have it, and no webhook converts", path, k.Version))
	}
	for _, d := range s.Undefaulted {
		out = append(out, defaulted.At(position(d.Path), "", "%s gets its default %s, which is not stored: %s", d.Path, d.Schema.Default.Raw, because))
	}
	for _, d := range s.Defaulted {
		out = append(out, defaulted.At(position(d.Path), "", "%s gets its default %s of the storage version %s", d.Path, d.Schema.Default.Raw, s.Version))
	}
	return out
}
