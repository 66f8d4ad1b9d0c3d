package unions

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/json"

	"github.com/schemagen/schemagen/structural"
)

// Sample returns a value of a schema, with required fields only or, if full is set, with
// every field. Of a union, the first value of the discriminator that has a member is set
// together with its member, and of the fields that controller-tools' markers count, the first.
// Defaults, enums, bounds, formats and patterns are respected unless they contradict each
// other; modes allow the fields that are set; other CEL rules are ignored.
func Sample(s *structural.Schema, full bool) any {
	left := maxSampleNodes
	return sampler{full, &left}.value(s, 0)
}

// maxSampleNodes bounds the number of values in a sample.
const maxSampleNodes = 200_000

type sampler struct {
	full bool
	left *int
}

// maxSampleItems bounds the number of elements and entries that are generated to satisfy
// a minimum.
const maxSampleItems = 1000

// value returns the n-th of several values that should differ.
func (m sampler) value(schema *structural.Schema, n int) any {
	if *m.left--; schema == nil || *m.left < 0 {
		return "example"
	}
	all := applying(schema)
	enum := allowedValues(all)
	switch {
	case len(enum) > 0:
		return enum[n%len(enum)]
	case n == 0 && schema.Default != nil && (schema.Type != "object" && schema.Type != "array" || !m.full):
		var value any
		if json.Unmarshal(schema.Default.Raw, &value) == nil && value != nil {
			return m.completed(schema, value)
		}
	}
	switch {
	case schema.XEmbeddedResource:
		return m.resource(schema, all)
	case schema.XIntOrString:
		return intOrString(all, n)
	}
	switch schema.Type {
	case "object":
		return m.object(schema, all)
	case "array":
		return m.array(schema, all)
	case "string":
		return text(all, n)
	case "integer", "number":
		return number(all[0], schema.Type, n)
	case "boolean":
		return true
	}
	if len(schema.Properties) > 0 {
		return m.object(schema, all)
	}
	return map[string]any{}
}

// applying returns the validations that apply to a value if the first branch of each junctor is
// chosen: that of the node, which is never nil, and then those inside it.
func applying(s *structural.Schema) []*structural.ValueValidation {
	if s.ValueValidation == nil {
		return []*structural.ValueValidation{{}}
	}
	var all []*structural.ValueValidation
	var add func(v *structural.ValueValidation)
	add = func(v *structural.ValueValidation) {
		all = append(all, v)
		for i := range v.AllOf {
			add(&v.AllOf[i].ValueValidation)
		}
		for _, branches := range [][]structural.NestedValueValidation{v.AnyOf, v.OneOf} {
			if len(branches) > 0 {
				add(&branches[0].ValueValidation)
			}
		}
	}
	add(s.ValueValidation)
	return all
}

// completed adds the fields that the schema requires to a default.
func (m sampler) completed(s *structural.Schema, value any) any {
	object, ok := value.(map[string]any)
	if !ok || s.ValueValidation == nil {
		return value
	}
	for _, name := range s.Required {
		if p := s.Property(name); p != nil && object[name] == nil {
			object[name] = m.value(p, 0)
		}
	}
	return object
}

func (m sampler) resource(s *structural.Schema, all []*structural.ValueValidation) map[string]any {
	object := m.object(s, all)
	object["apiVersion"] = "v1"
	object["kind"] = "ConfigMap"
	object["metadata"] = map[string]any{"name": "example"}
	return object
}

func intOrString(all []*structural.ValueValidation, n int) any {
	if pattern := all[0].Pattern; pattern == "" || matches(pattern, strconv.Itoa(1+n)) {
		return int64(1 + n)
	}
	return text(all, n)
}

// object sets the required fields, or all fields, and satisfies the first branch of each
// junctor.
func (m sampler) object(schema *structural.Schema, all []*structural.ValueValidation) map[string]any {
	required, forbidden := needs(all[0])
	minimum, maximum := tightest(all,
		func(v *structural.ValueValidation) (*int64, *int64) { return v.MinProperties, v.MaxProperties })
	values := map[string]any{}
	for _, u := range Of(schema) {
		value, member := firstWithMember(&u)
		for _, other := range u.Members {
			if other.Name != member {
				forbidden = append(forbidden, other.Name)
			}
		}
		if u.Discriminator == "" {
			if u.Required && member != "" {
				required = append(required, member)
			}
			continue
		}
		if m.full || u.Required || slices.Contains(required, u.Discriminator) {
			values[u.Discriminator] = value
			required = append(required, u.Discriminator)
			if member != "" {
				required = append(required, member)
			}
		}
	}
	for _, declared := range ModesOf(schema) {
		mode := (&modes{declared, keyWithDefault(schema, declared.Discriminator)}).read(nil)
		if m.full || slices.Contains(required, declared.Discriminator) {
			mode = m.mode(schema, declared)
			required = append(required, declared.Discriminator)
			values[declared.Discriminator] = mode
			if declared.Boolean {
				values[declared.Discriminator] = mode == "true"
			}
		}
		for _, f := range declared.Fields {
			switch {
			case slices.Contains(f.Required, mode):
				required = append(required, f.Name)
			case !slices.Contains(f.Allowed, mode):
				forbidden = append(forbidden, f.Name)
			}
		}
	}
	for _, u := range Counted(schema) {
		chosen := max(0, slices.IndexFunc(u.Members, func(m Member) bool { return slices.Contains(required, m.Name) }))
		for i, m := range u.Members {
			switch {
			case i == chosen && !u.AtMostOne:
				required = append(required, m.Name)
			case i != chosen && !u.AtLeastOne:
				forbidden = append(forbidden, m.Name)
			}
		}
	}
	object := map[string]any{}
	for _, p := range schema.Properties {
		isRequired := slices.Contains(required, p.Name)
		if !isRequired && (!m.full || slices.Contains(forbidden, p.Name)) {
			continue
		}
		if value, ok := values[p.Name]; ok {
			object[p.Name] = value
		} else {
			object[p.Name] = m.value(p.Schema, 0)
		}
	}
	for _, p := range schema.Properties {
		if minimum == nil || int64(len(object)) >= *minimum {
			break
		}
		if _, ok := object[p.Name]; !ok && !slices.Contains(forbidden, p.Name) {
			object[p.Name] = m.value(p.Schema, 0)
		}
	}
	for i := len(schema.Properties) - 1; i >= 0 && maximum != nil && int64(len(object)) > *maximum; i-- {
		if name := schema.Properties[i].Name; !slices.Contains(required, name) {
			delete(object, name)
		}
	}
	if a := schema.AdditionalProperties; a != nil && a.Schema != nil {
		count := m.least(minimum, maximum)
		for i := 0; len(object) < count && i < 2*maxSampleItems && *m.left > 0; i++ {
			object[numbered("example", i)] = m.value(a.Schema, i)
		}
		for _, name := range required {
			if _, ok := object[name]; !ok {
				object[name] = m.value(a.Schema, 0)
			}
		}
	}
	return object
}

// mode returns the mode that allows most fields or, for an object with required fields only, the one
// that requires fewest.
func (m sampler) mode(schema *structural.Schema, declared Modes) string {
	known := stringsOf(schema.Property(declared.Discriminator))
	if declared.Boolean {
		known = []string{"false", "true"}
	}
	if len(known) == 0 {
		for _, f := range declared.Fields {
			known = append(known, f.Allowed...)
		}
	}
	fields := func(mode string) (count int) {
		for _, f := range declared.Fields {
			if m.full && slices.Contains(f.Allowed, mode) {
				count++
			} else if !m.full && slices.Contains(f.Required, mode) {
				count--
			}
		}
		return count
	}
	return slices.MaxFunc(known, func(a, b string) int { return fields(a) - fields(b) })
}

func (m sampler) array(s *structural.Schema, all []*structural.ValueValidation) []any {
	list := []any{}
	distinct := s.XListType == "set" || s.XListType == "map" || all[0].UniqueItems
	minimum, maximum := tightest(all, func(v *structural.ValueValidation) (*int64, *int64) { return v.MinItems, v.MaxItems })
	for i := range m.least(minimum, maximum) {
		if *m.left <= 0 {
			break
		}
		n := 0
		if distinct {
			n = i
		}
		element := m.value(s.Items, n)
		if object, ok := element.(map[string]any); ok {
			for _, key := range s.XListMapKeys {
				if p := s.Items.Property(key); p != nil && (i > 0 || object[key] == nil) {
					object[key] = m.value(p, i)
				}
			}
		}
		list = append(list, element)
	}
	return list
}

// tightest returns the bounds of validations combined.
func tightest(all []*structural.ValueValidation,
	bounds func(*structural.ValueValidation) (minimum, maximum *int64)) (minimum, maximum *int64) {
	for _, v := range all {
		low, high := bounds(v)
		if low != nil && (minimum == nil || *low > *minimum) {
			minimum = low
		}
		if high != nil && (maximum == nil || *high < *maximum) {
			maximum = high
		}
	}
	return minimum, maximum
}

// least returns the number of elements: the minimum, but one as an example if that is
// allowed.
func (m sampler) least(minimum, maximum *int64) int {
	n := int64(0)
	if m.full {
		n = 1
	}
	if minimum != nil {
		n = max(n, *minimum)
	}
	if maximum != nil {
		n = min(n, *maximum)
	}
	return int(max(0, min(n, maxSampleItems)))
}

// needs returns the fields that must and must not be present if the first branch of each
// junctor is chosen.
func needs(validation *structural.ValueValidation) (required, forbidden []string) {
	required = slices.Clone(validation.Required)
	for _, all := range validation.AllOf {
		r, f := needs(&all.ValueValidation)
		required = append(required, r...)
		forbidden = append(forbidden, f...)
	}
	for _, branches := range [][]structural.NestedValueValidation{validation.OneOf, validation.AnyOf} {
		for i := range branches {
			r, f := needs(&branches[i].ValueValidation)
			if i == 0 {
				required = append(required, r...)
				forbidden = append(forbidden, f...)
			} else if len(validation.OneOf) > 0 {
				forbidden = append(forbidden, r...)
			}
		}
	}
	if validation.Not != nil {
		r, _ := needs(&validation.Not.ValueValidation)
		forbidden = append(forbidden, r...)
		// The first branch of anyOf is included above: visiting it again at each level
		// would take exponential time.
		for i := 1; i < len(validation.Not.AnyOf); i++ {
			r, _ := needs(&validation.Not.AnyOf[i].ValueValidation)
			forbidden = append(forbidden, r...)
		}
	}
	forbidden = slices.DeleteFunc(forbidden, func(name string) bool { return slices.Contains(required, name) })
	return required, forbidden
}

// firstWithMember returns the first value of a union that has a member, and the member.
func firstWithMember(u *Union) (value, member string) {
	if u.Discriminator == "" {
		if len(u.Members) > 0 {
			return "", u.Members[0].Name
		}
		return "", ""
	}
	for _, v := range u.Values {
		if i := u.Selected(v.Name); i >= 0 {
			return v.Name, u.Members[i].Name
		}
	}
	if len(u.Values) > 0 {
		return u.Values[0].Name, ""
	}
	return "", ""
}

// allowedValues returns the values that all enums allow; null and "" come last.
func allowedValues(all []*structural.ValueValidation) []any {
	var out []any
	for _, v := range all {
		var values, last []any
		for _, raw := range v.Enum {
			var value any
			switch err := json.Unmarshal(raw.Raw, &value); {
			case err != nil:
			case value == nil || value == "":
				last = append(last, value)
			default:
				values = append(values, value)
			}
		}
		values = append(values, last...)
		if len(out) == 0 {
			out = values
		} else if len(values) > 0 {
			out = slices.DeleteFunc(out, func(a any) bool {
				return !slices.ContainsFunc(values, func(b any) bool { return fmt.Sprint(a) == fmt.Sprint(b) })
			})
		}
	}
	return out
}

// number returns the allowed value next to zero, or to one if one is allowed.
func number(v *structural.ValueValidation, kind string, n int) any {
	low := math.Inf(-1)
	high := math.Inf(1)
	step := 1.0
	if v.MultipleOf != nil && *v.MultipleOf > 0 {
		step = *v.MultipleOf
	}
	bounds := append([]structural.NestedValueValidation{{ValueValidation: *v}}, v.AllOf...)
	for _, b := range bounds {
		if b.Minimum != nil {
			low = max(low, *b.Minimum)
			if b.ExclusiveMinimum && low == *b.Minimum {
				low = exclusive(low, 1, kind, v, step)
			}
		}
		if b.Maximum != nil {
			high = min(high, *b.Maximum)
			if b.ExclusiveMaximum && high == *b.Maximum {
				high = exclusive(high, -1, kind, v, step)
			}
		}
	}
	value := min(max(1, low), high)
	if low == 0 && high < 1 {
		value = 0
	}
	if down := math.Floor(value/step) * step; down >= low {
		value = down
	} else {
		value = math.Ceil(value/step) * step
	}
	if next := value + float64(n)*step; next <= high {
		value = next
	}
	if kind == "integer" || value == math.Trunc(value) && math.Abs(value) < 1<<53 {
		return int64(value)
	}
	return value
}

// exclusive returns the value next to an exclusive bound.
func exclusive(bound, sign float64, kind string, v *structural.ValueValidation, step float64) float64 {
	if kind == "integer" {
		return bound + sign
	}
	if v.MultipleOf != nil {
		return bound + sign*step
	}
	if v.Minimum != nil && v.Maximum != nil {
		return (*v.Minimum + *v.Maximum) / 2
	}
	return bound + sign
}

// formatted returns a value of a format that servers know.
func formatted(format string, n int) (string, bool) {
	hex := fmt.Sprintf("%012x", n)
	switch strings.ReplaceAll(format, "-", "") {
	case "bsonobjectid":
		return "507f1f77bcf86cd7" + fmt.Sprintf("%08x", n), true
	case "uri":
		return "https://example.com/" + suffix(n), true
	case "email":
		return "user" + suffix(n) + "@example.com", true
	case "hostname", "k8slongname":
		return "example" + suffix(n) + ".com", true
	case "k8sshortname":
		return "example" + suffix(n), true
	case "ipv4":
		return fmt.Sprintf("192.0.2.%d", 1+n%250), true
	case "ipv6":
		return fmt.Sprintf("2001:db8::%x", 1+n), true
	case "cidr":
		return fmt.Sprintf("192.0.%d.0/24", 2+n%250), true
	case "mac":
		return fmt.Sprintf("02:00:00:00:00:%02x", 1+n%250), true
	case "uuid", "uuid4":
		return "00000000-0000-4000-8000-" + hex, true
	case "uuid3":
		return "00000000-0000-3000-8000-" + hex, true
	case "uuid5":
		return "00000000-0000-5000-8000-" + hex, true
	case "isbn", "isbn10":
		return "0321751043", true
	case "isbn13":
		return "978-0321751041", true
	case "creditcard":
		return "4111111111111111", true
	case "ssn":
		return fmt.Sprintf("111-11-%04d", 1111+n%8000), true
	case "hexcolor":
		return fmt.Sprintf("#%06x", n), true
	case "rgbcolor":
		return fmt.Sprintf("rgb(0,0,%d)", n%256), true
	case "byte":
		return "ZXhhbXBsZQ==", true
	case "date":
		return fmt.Sprintf("20%02d-01-02", n%100), true
	case "duration":
		return fmt.Sprintf("%ds", 1+n), true
	case "datetime":
		return fmt.Sprintf("20%02d-01-02T15:04:05Z", n%100), true
	}
	return "", false
}

func suffix(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func numbered(text string, n int) string {
	if n == 0 {
		return text
	}
	return text + "-" + strconv.Itoa(n)
}

// text returns a string: of the format, or a common word that fits, or one generated from
// the pattern.
func text(all []*structural.ValueValidation, n int) string {
	fits := func(s string) bool {
		count := int64(len([]rune(s)))
		return !slices.ContainsFunc(all, func(v *structural.ValueValidation) bool {
			return v.MinLength != nil && count < *v.MinLength || v.MaxLength != nil && count > *v.MaxLength ||
				v.Pattern != "" && !matches(v.Pattern, s)
		})
	}
	format := ""
	var patterns []string
	for _, v := range all {
		format = cmp.Or(format, v.Format)
		if v.Pattern != "" {
			patterns = append(patterns, v.Pattern)
		}
	}
	if s, ok := formatted(format, n); ok {
		if short := "YQ=="; format == "byte" && !fits(s) && fits(short) {
			return short
		}
		return s
	}
	for _, word := range words(n) {
		if fits(word) {
			return word
		}
	}
	if len(patterns) == 0 {
		return ofLength(numbered("example", n), all)
	}
	for _, p := range patterns {
		if s, ok := matching(p, n, fits); ok {
			return s
		}
	}
	return numbered("example", n)
}

// words returns common strings.
func words(n int) []string {
	out := []string{numbered("example", n), "example" + suffix(n), "Example" + suffix(n), "EXAMPLE" + suffix(n)}
	if n == 0 {
		out = append(out, "a", "A")
	}
	return append(out, "a"+suffix(n), strconv.Itoa(1+n), "example"+suffix(n)+".com", "example.com/example"+suffix(n),
		"https://example.com/"+suffix(n), "/example"+suffix(n), strconv.Itoa(1+n)+"s", strconv.Itoa(1+n)+"Gi", strconv.Itoa(1+n)+"%",
		fmt.Sprintf("192.0.2.%d", 1+n%250), fmt.Sprintf("192.0.%d.0/24", 2+n%250), fmt.Sprintf("1.0.%d", n), fmt.Sprintf("v1.0.%d", n),
		"https://example.com/", "user@example.com")
}

// maxSampleLength bounds strings that are generated to satisfy a minimum length.
const maxSampleLength = 1 << 16

// ofLength lengthens or shortens a text to fit.
func ofLength(s string, all []*structural.ValueValidation) string {
	for _, v := range all {
		if v.MinLength != nil && int64(len(s)) < *v.MinLength {
			s += strings.Repeat("x", int(min(*v.MinLength, maxSampleLength))-min(len(s), maxSampleLength))
		}
		if v.MaxLength != nil && int64(len(s)) > *v.MaxLength {
			s = s[len(s)-int(max(0, *v.MaxLength)):] // keep the end, which differs
		}
	}
	return s
}

// matches reports whether a text matches a pattern of a schema, as on the server.
func matches(pattern, s string) bool {
	compiled, err := regexp.Compile(pattern)
	return err == nil && compiled.MatchString(s)
}
