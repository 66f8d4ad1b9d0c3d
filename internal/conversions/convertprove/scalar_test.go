package convertprove

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/schemagen/schemagen/structural"
)

// TestScalars wants values with which conversions go wrong, and only those that the schema allows.
func TestScalars(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	tests := map[string]struct {
		kind, from  string
		intOrString bool
		v           structural.ValueValidation
		want        []string
		allowed     string
	}{
		"integer":            {kind: "integer", from: "1", want: []string{"0", "-1", "2147483647", "-2147483648", "8589934592"}},
		"32 bits":            {kind: "integer", from: "1", v: structural.ValueValidation{Format: "int32"}, want: []string{"2147483647", "-2147483648"}, allowed: `^-?\d{1,10}$`},
		"bounds":             {kind: "integer", from: "4", v: structural.ValueValidation{Minimum: number(3), Maximum: number(7)}, want: []string{"3", "4", "6", "7"}, allowed: `^[3-7]$`},
		"exclusive bounds":   {kind: "integer", from: "4", v: structural.ValueValidation{Minimum: number(3), Maximum: number(7), ExclusiveMinimum: true, ExclusiveMaximum: true}, want: []string{"4", "6"}, allowed: `^[4-6]$`},
		"bounds of no int64": {kind: "integer", from: "4", v: structural.ValueValidation{Minimum: number(-1e30), Maximum: number(1e30)}, want: []string{"-1", "0"}},
		"number":             {kind: "number", from: "1", want: []string{"0.5", "-0.5", "1000000000"}},
		"share":              {kind: "number", from: "0.5", v: structural.ValueValidation{Minimum: number(0), Maximum: number(1)}, want: []string{"0", "0.5", "1"}, allowed: `^(0|0\.5|1)$`},
		"duration":           {kind: "string", from: `"1h"`, v: structural.ValueValidation{Format: "duration"}, want: []string{`"-5s"`, `"0s"`, `"1.5s"`, `"100000h"`}},
		"positive duration":  {kind: "string", from: `"1h"`, v: structural.ValueValidation{Pattern: `^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`}, want: []string{`"0s"`, `"1.5s"`, `"100000h"`}, allowed: `^"\d`},
		"quantity": {
			from: `"1"`, intOrString: true, v: structural.ValueValidation{Pattern: `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`},
			want: []string{`"-500m"`, `"0"`, `"1.5"`, `"1Gi"`, "0", "-1", "2147483647"}, allowed: `^"?-?[\d.]+`,
		},
		"port or percentage": {from: "1", intOrString: true, want: []string{"0", "-1", `"25%"`, `"http"`}},
		"text":               {kind: "string", from: `"a"`, want: []string{`""`, `"b"`, `"-5s"`, `"10"`, `"true"`}},
		"enum":               {kind: "string", from: `"a"`, v: structural.ValueValidation{Enum: []structural.JSON{{Raw: []byte(`"x"`)}}}, want: []string{`"x"`}, allowed: `^"x"$`},
		"other pattern":      {kind: "string", from: `"ab-1"`, v: structural.ValueValidation{Pattern: `^[a-f]{2}-\d$`}, want: []string{`"ab-1"`}, allowed: `^"[a-f]{2}-\d"$`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := typed(test.kind)
			s.XIntOrString, s.ValueValidation = test.intOrString, &test.v
			value, _ := decode([]byte(test.from))
			seen := map[string]bool{}
			allowed := regexp.MustCompile(test.allowed)
			for n := range uint64(2000) {
				text, _ := json.Marshal(editor{rand.New(rand.NewPCG(1, n))}.scalar(value, s))
				if seen[string(text)] = true; !allowed.Match(text) {
					t.Fatalf("%s is not allowed", text)
				}
			}
			for _, want := range test.want {
				if !seen[want] {
					t.Errorf("there is no %s in %v", want, seen)
				}
			}
		})
	}
}
