package structural

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
)

// Union is a set of mutually exclusive fields of an object, as the KEP
// "Structural Schemas" defines it (Formal Definition, type Union). It cannot
// express that a member is optional or that a value has no member;
// [UnionMember] can.
type Union struct {
	// Discriminator is the JSON name of the field that tells which member is
	// set, or "".
	Discriminator string
	// Fields are the members, in order. There are none if there is no discriminator.
	Fields []UnionField
}

// UnionField is one member of a [Union].
type UnionField struct {
	// Name is the JSON name of the member.
	Name string
	// Value is the value of the discriminator that selects the member.
	Value string
}

// UnionMember is one value of a discriminator and the member that it selects, as
// defined by KEP-1027 (type XKubernetesUnions).
type UnionMember struct {
	// Value is a valid value of the discriminator.
	Value string
	// Name is the JSON name of the member that the value selects, or "" if the
	// value has no member.
	Name string
	// Optional is true if the member may be unset while it is selected.
	Optional bool
}

// UnionsJSON renders the unions as the value of x-kubernetes-unions: a list on
// an object, an object on a discriminator, nil if there are none. It keeps the
// order of the model. As in the type MemberField of KEP-1027, optional is never
// omitted.
func UnionsJSON(e Extensions) *JSON {
	var text string
	switch {
	case len(e.XUnions) > 0:
		var list []string
		for _, u := range e.XUnions {
			var keys, fields []string
			if u.Discriminator != "" {
				keys = append(keys, `"discriminator":`+plainjson.Text(u.Discriminator))
			}
			for _, f := range u.Fields {
				fields = append(fields, plainjson.Text(f.Name)+":"+plainjson.Text(f.Value))
			}
			if len(fields) > 0 {
				keys = append(keys, `"fields":{`+strings.Join(fields, ",")+"}")
			}
			list = append(list, "{"+strings.Join(keys, ",")+"}")
		}
		text = "[" + strings.Join(list, ",") + "]"
	case len(e.XUnionMembers) > 0:
		var list []string
		for _, m := range e.XUnionMembers {
			member := "null"
			if m.Name != "" {
				member = fmt.Sprintf(`{"name":%s,"optional":%t}`, plainjson.Text(m.Name), m.Optional)
			}
			list = append(list, plainjson.Text(m.Value)+":"+member)
		}
		text = `{"fieldMembers":{` + strings.Join(list, ",") + "}}"
	default:
		return nil
	}
	return &JSON{Raw: []byte(text)}
}

// ParseUnions parses the value of x-kubernetes-unions in either form, with the
// members in the order of the text. The error explains why the value is neither.
func ParseUnions(value JSON) ([]Union, []UnionMember, error) {
	if bytes.HasPrefix(bytes.TrimSpace(value.Raw), []byte("[")) {
		unions, err := parseUnionList(value.Raw)
		return unions, nil, err
	}
	members, err := parseUnionMembers(value.Raw)
	return nil, members, err
}

func parseUnionList(raw []byte) ([]Union, error) {
	var list []struct {
		Discriminator string          `json:"discriminator"`
		Fields        json.RawMessage `json:"fields"`
	}
	if err := strict(raw, &list); err != nil {
		return nil, err
	}
	var out []Union
	for _, u := range list {
		union := Union{Discriminator: u.Discriminator}
		err := inOrder(u.Fields, func(name string, d *json.Decoder) error {
			field := UnionField{Name: name}
			union.Fields = append(union.Fields, field)
			return d.Decode(&union.Fields[len(union.Fields)-1].Value)
		})
		if err != nil {
			return nil, fmt.Errorf("fields: %w", err)
		}
		out = append(out, union)
	}
	return out, nil
}

func parseUnionMembers(raw []byte) ([]UnionMember, error) {
	var object struct {
		FieldMembers json.RawMessage `json:"fieldMembers"`
	}
	if err := strict(raw, &object); err != nil {
		return nil, err
	}
	var out []UnionMember
	err := inOrder(object.FieldMembers, func(value string, d *json.Decoder) error {
		var member *struct {
			Name     string `json:"name"`
			Optional bool   `json:"optional"`
		}
		if err := d.Decode(&member); err != nil {
			return err
		}
		if member == nil {
			out = append(out, UnionMember{Value: value})
			return nil
		}
		if member.Name == "" {
			return fmt.Errorf("%q: name must not be empty", value)
		}
		out = append(out, UnionMember{Value: value, Name: member.Name, Optional: member.Optional})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("fieldMembers: %w", err)
	}
	return out, nil
}

// strict decodes one JSON value and rejects unknown fields.
func strict(raw []byte, target any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(target); err != nil {
		return err
	}
	if d.More() {
		return errors.New("more than one value")
	}
	return nil
}

// inOrder calls each for every key of a JSON object, in the order of the text;
// each decodes the value. Empty text and null have no keys; duplicate keys are an
// error.
func inOrder(raw []byte, each func(key string, d *json.Decoder) error) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	start, err := d.Token()
	if err != nil {
		return err
	}
	if start != json.Delim('{') {
		return fmt.Errorf("must be an object, is %s", raw)
	}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string) // the decoder accepts only strings as keys
		if seen[key] {
			return fmt.Errorf("duplicate key %q", key)
		}
		seen[key] = true
		if err := each(key, d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}
