package apiserver

import (
	"reflect"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schemagen/schemagen/internal/schemas/locate"
	"github.com/schemagen/schemagen/structural"
)

// Storage is what happens to an object that is stored in another version than that of the request,
// if no webhook converts: the server replaces the apiVersion, and each version drops the fields
// that it does not have.
type Storage struct {
	// Version is the storage version.
	Version string
	// Dropped are the fields of the object that the storage version does not specify, Nulls the
	// fields that are null and not nullable there. Metadata are the paths of metadata that only the
	// other version keeps, in embedded resources.
	Dropped, Nulls []*structural.ObjectPath
	Metadata       []string
	// Undefaulted are the fields with a default of the request's version that are dropped.
	Undefaulted []structural.Defaulted
	// Defaulted are the fields that have a default of the storage version when they are read.
	Defaulted []structural.Defaulted
	// Removed are the fields of the object that was stored which the version of the request
	// does not specify, and which the update therefore removes.
	Removed []*structural.ObjectPath
}

// StoredAs returns the version as a server handles it that stores objects in another version of
// the same CRD, with the conversion strategy None.
func (k *Kind) StoredAs(storage *Kind) *Kind {
	out := *k
	out.storage = storage
	return &out
}

func (k *Kind) apiVersion() string { return k.group + "/" + k.version }

// store replaces an object that is written by what is read back: encoded in the storage version
// (schemaCoercingConverter of apiextensions-apiserver, pkg/apiserver), and decoded again. stored
// is the object that an update replaces, nil for a new one.
func (k *Kind) store(a *Answer, stored map[string]any) error {
	written := Answer{Object: runtime.DeepCopyJSON(a.Object)}
	written.Object["apiVersion"] = k.storage.apiVersion()
	if err := k.storage.coerce(&written, objectmeta.ObjectMetaOptions{}); err != nil {
		return err
	}
	read, err := k.read(written.Object)
	if err != nil {
		return err
	}
	out := &Storage{Version: k.storage.version, Nulls: written.Nulls, Metadata: written.Metadata, Defaulted: read.defaulted}
	out.Defaulted = slices.DeleteFunc(out.Defaulted, func(d structural.Defaulted) bool { return !has(read.object, d.Path) })
	isDefault := func(path *structural.ObjectPath) bool {
		return slices.ContainsFunc(a.Defaulted, func(d structural.Defaulted) bool { return path.String() == d.Path.String() })
	}
	out.Dropped = slices.DeleteFunc(written.Pruned, isDefault)
	a.Defaulted = slices.DeleteFunc(a.Defaulted, func(d structural.Defaulted) bool {
		if has(written.Object, d.Path) {
			return false
		}
		out.Undefaulted = append(out.Undefaulted, d)
		return true
	})
	if stored != nil {
		oldReadBack, err := k.read(stored)
		if err != nil {
			return err
		}
		for _, path := range oldReadBack.dropped {
			old, _ := locate.ValueAt(oldReadBack.inStorage, path.Steps())
			if value, _ := locate.ValueAt(read.inStorage, path.Steps()); !reflect.DeepEqual(old, value) {
				out.Removed = append(out.Removed, path)
			}
		}
	}
	a.Object = read.object
	a.Storage = out
	return nil
}

// readBack is an object that is read from the storage.
type readBack struct {
	// inStorage is the object in the storage version, with its defaults, which are defaulted.
	inStorage map[string]any
	defaulted []structural.Defaulted
	// object is the object in the version that is read, without the fields dropped.
	object  map[string]any
	dropped []*structural.ObjectPath
}

// read decodes a stored object, which may have been read in any version (crdConversionRESTOptionsGetter
// of apiextensions-apiserver, pkg/apiserver): the storage version drops fields before it adds its
// defaults, and then the version drops fields.
func (k *Kind) read(stored map[string]any) (*readBack, error) {
	a := Answer{Object: runtime.DeepCopyJSON(stored)}
	a.Object["apiVersion"] = k.storage.apiVersion()
	if err := k.storage.coerce(&a, objectmeta.ObjectMetaOptions{DropMalformedFields: true}); err != nil {
		return nil, err
	}
	out := &readBack{defaulted: structural.Default(k.storage.schema, a.Object), inStorage: a.Object}
	b := Answer{Object: runtime.DeepCopyJSON(a.Object)}
	b.Object["apiVersion"] = k.apiVersion()
	if err := k.coerce(&b, objectmeta.ObjectMetaOptions{}); err != nil {
		return nil, err
	}
	out.object = b.Object
	out.dropped = b.Pruned
	return out, nil
}

// has reports whether an object has a value at a path.
func has(object map[string]any, path *structural.ObjectPath) bool {
	_, ok := locate.ValueAt(object, path.Steps())
	return ok
}
