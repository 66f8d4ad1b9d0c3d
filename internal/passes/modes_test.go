package passes_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validate"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// modeKind is a Go type of fields with modes.
type modeKind struct {
	goType string
	// check is a tag for values.
	check string
	// values are the values in JSON, of which nil is an absent field.
	values []any
	// accepts calls validate.Discriminated as code of validation-gen for such a field does.
	accepts func(t *testing.T, f modeField, mode string, value any) bool
}

// modeField is a field with tags.
type modeField struct {
	kind *modeKind
	// modality is the group of a string or, if it is "flag", of a boolean.
	modality string
	payloads map[string]string // by mode
	checked  map[string]bool   // the modes with the kind's check
}

func modeKinds() []*modeKind {
	texts := []any{nil, "", "x", "xyz"}
	return []*modeKind{
		{"*string", "maxLength=2", texts, func(t *testing.T, f modeField, mode string, value any) bool {
			var text *string
			if value != nil {
				text = new(value.(string))
			}
			return discriminated(t, f, mode, text, validate.RequiredPointer[string], validate.ForbiddenPointer[string], maxLength)
		}},
		{"string", "maxLength=2", texts, func(t *testing.T, f modeField, mode string, value any) bool {
			text, _ := value.(string)
			return discriminated(t, f, mode, &text, validate.RequiredValue[string], validate.ForbiddenValue[string], maxLength)
		}},
		{"int32", "minimum=8", []any{nil, int64(0), int64(7), int64(8)}, func(t *testing.T, f modeField, mode string, value any) bool {
			number, _ := value.(int64)
			return discriminated(t, f, mode, &number, validate.RequiredValue[int64], validate.ForbiddenValue[int64], minimum)
		}},
		{"bool", "neq=true", []any{nil, false, true}, func(t *testing.T, f modeField, mode string, value any) bool {
			is, _ := value.(bool)
			return discriminated(t, f, mode, &is, validate.RequiredValue[bool], validate.ForbiddenValue[bool], isNot(true))
		}},
		{"*bool", "neq=false", []any{nil, false, true}, func(t *testing.T, f modeField, mode string, value any) bool {
			var is *bool
			if value != nil {
				is = new(value.(bool))
			}
			return discriminated(t, f, mode, is, validate.RequiredPointer[bool], validate.ForbiddenPointer[bool], isNot(false))
		}},
		{"[]string", "maxItems=1", []any{nil, []any{}, []any{"x"}, []any{"x", "y"}}, func(t *testing.T, f modeField, mode string, value any) bool {
			list, _ := value.([]any)
			return discriminated(t, f, mode, list, validate.RequiredSlice[any], validate.ForbiddenSlice[any], maxItems)
		}},
		{"[]byte", "", []any{nil, "eA=="}, func(t *testing.T, f modeField, mode string, value any) bool {
			text, _ := value.(string)
			return discriminated(t, f, mode, []byte(text), validate.RequiredSlice[byte], validate.ForbiddenSlice[byte], nil)
		}},
		{"map[string]string", "maxProperties=1", []any{nil, map[string]any{}, map[string]any{"x": "y"}, map[string]any{"x": "y", "z": ""}}, func(t *testing.T, f modeField, mode string, value any) bool {
			entries, _ := value.(map[string]any)
			return discriminated(t, f, mode, entries, validate.RequiredMap[string, any], validate.ForbiddenMap[string, any], maxProperties)
		}},
	}
}

func maxLength(ctx context.Context, op operation.Operation, at *field.Path, value, old *string) field.ErrorList {
	return validate.MaxLength(ctx, op, at, value, old, 2)
}

func minimum(ctx context.Context, op operation.Operation, at *field.Path, value, old *int64) field.ErrorList {
	return validate.Minimum(ctx, op, at, value, old, 8)
}

func isNot(wrong bool) validate.ValidateFunc[*bool] {
	return func(ctx context.Context, op operation.Operation, at *field.Path, value, old *bool) field.ErrorList {
		return validate.NEQ(ctx, op, at, value, old, wrong)
	}
}

func maxItems(ctx context.Context, op operation.Operation, at *field.Path, value, old []any) field.ErrorList {
	return validate.MaxItems(ctx, op, at, value, old, 1)
}

func maxProperties(ctx context.Context, op operation.Operation, at *field.Path, value, old map[string]any) field.ErrorList {
	return validate.MaxProperties(ctx, op, at, value, old, 1)
}

func discriminated[F any](t *testing.T, f modeField, mode string, value F, required, forbidden, check validate.ValidateFunc[F]) bool {
	t.Helper()
	var rules []validate.DiscriminatedRule[F, string]
	for mode, payload := range f.payloads {
		rule := validate.DiscriminatedRule[F, string]{Value: mode}
		rule.Validation = func(ctx context.Context, op operation.Operation, at *field.Path, value, old F) field.ErrorList {
			unset := required(ctx, op, at, value, old)
			switch {
			case payload == "required" && len(unset) > 0:
				return unset
			case payload == "forbidden":
				return forbidden(ctx, op, at, value, old)
			case len(unset) == 0 && f.checked[mode]:
				return check(ctx, op, at, value, old)
			}
			return nil
		}
		rules = append(rules, rule)
	}
	errs := validate.Discriminated(t.Context(), operation.Operation{Type: operation.Create}, field.NewPath("spec"), &struct{}{}, nil, "f",
		func(*struct{}) F { return value }, func(*struct{}) string { return mode }, nil, forbidden, rules)
	return len(errs) == 0
}

// TestModes compares the server's answers about the rules for +k8s:ifMode with the functions that
// validation-gen calls for it, on random objects of random tags, and with [unions.Validate].
func TestModes(t *testing.T) {
	random := rand.New(rand.NewPCG(42, 3))
	kinds := modeKinds()
	var source strings.Builder
	source.WriteString(strings.Replace(namesHeader, "package v1", "// +schemagen:enable=k8s\npackage v1", 1))
	source.WriteString("\tSpec Spec `json:\"spec\"`\n}\n\ntype Spec struct {\n" +
		"\t// +k8s:modeDiscriminator\n\tMode string `json:\"mode,omitempty\"`\n" +
		"\t// +k8s:modeDiscriminator(modality: \"flag\")\n\tFlag bool `json:\"flag,omitempty\"`\n")
	fields := make([]modeField, 8*len(kinds))
	for i := range fields {
		f := modeField{kind: kinds[i%len(kinds)], payloads: map[string]string{}, checked: map[string]bool{}}
		modes := []string{"", "A", "B", "It's"}
		if i%3 == 0 {
			f.modality = "flag"
			modes = []string{"false", "true"}
		}
		for len(f.payloads) == 0 {
			for _, mode := range modes {
				if payload := []string{"", "required", "optional", "forbidden"}[random.IntN(4)]; payload != "" {
					f.payloads[mode] = payload
				}
			}
		}
		for _, mode := range modes {
			if payload := f.payloads[mode]; payload != "" {
				argument := "mode: " + strconv.Quote(mode)
				if f.modality != "" {
					argument += ", modality: " + strconv.Quote(f.modality)
				}
				fmt.Fprintf(&source, "\t// +k8s:ifMode(%s)=+k8s:%s\n", argument, payload)
				f.checked[mode] = payload != "forbidden" && f.kind.check != "" && random.IntN(2) == 0
				if f.checked[mode] {
					fmt.Fprintf(&source, "\t// +k8s:ifMode(%s)=+k8s:%s\n", argument, f.kind.check)
				}
			}
		}
		fmt.Fprintf(&source, "\tF%d %s `json:\"f%[1]d,omitempty\"`\n", i, f.kind.goType)
		fields[i] = f
	}
	source.WriteString("}\n")
	files, found := generateSource(t, source.String(), "")
	crd := decodeDefinition(t, files, found)
	kind, err := apiserver.NewKind(crd, "v1")
	if err != nil {
		t.Fatal(err)
	}
	schema, unsupported := structural.FromProps(crd.Spec.Versions[0].Schema.OpenAPIV3Schema)
	if len(unsupported) > 0 {
		t.Fatal(unsupported)
	}
	plan := unions.Compile(schema, unions.Options{})
	const objects = 500
	accepted := 0
	for range objects {
		spec := map[string]any{}
		choose := func(name string, values []any) any {
			value := values[random.IntN(len(values))]
			if value != nil {
				spec[name] = value
			}
			return value
		}
		mode, _ := choose("mode", []any{nil, "", "A", "B", "It's", "other"}).(string)
		flag, _ := choose("flag", []any{nil, false, true}).(bool)
		var want []string
		for i, f := range fields {
			value := choose(fmt.Sprintf("f%d", i), f.kind.values)
			is := mode
			if f.modality != "" {
				is = strconv.FormatBool(flag)
			}
			if !f.kind.accepts(t, f, is, value) {
				want = append(want, fmt.Sprintf("spec.f%d", i))
			} else {
				accepted++
			}
		}
		answer, err := kind.Create(t.Context(), namedObject(map[string]any{"spec": spec}))
		if err != nil {
			t.Fatal(err)
		}
		var got, inMode, validated []string
		for _, e := range answer.Errors {
			got = append(got, e.Field)
			isCheck := e.Type == field.ErrorTypeInvalid
			if !isCheck && !strings.HasPrefix(e.Detail, "may not be specified for any") { // whose rule names no mode
				inMode = append(inMode, e.Field+": "+e.Detail)
			}
		}
		for _, e := range plan.Validate(nil, map[string]any{"spec": spec}, nil) {
			validated = append(validated, e.Field+": "+e.Detail)
		}
		slices.Sort(inMode)
		slices.Sort(validated)
		if !slices.Equal(inMode, validated) {
			t.Fatalf("mode %q, flag %t: the server reports %q, the plan %q", mode, flag, inMode, validated)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("mode %q, flag %t: got errors at %v, want %v: %v\n%s", mode, flag, got, want, answer.Errors, source.String())
		}
	}
	if total := objects * len(fields); accepted < total/4 || accepted > total*3/4 {
		t.Errorf("%d of %d fields are accepted, so the test compares little", accepted, total)
	}
}
