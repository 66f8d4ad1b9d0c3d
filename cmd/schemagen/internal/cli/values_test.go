package cli_test

import (
	"testing"

	"github.com/spf13/pflag"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
)

// TestCopyFlags checks that flags have the values that are given in another set, and that what is
// set later does not change that.
func TestCopyFlags(t *testing.T) {
	var limit *int
	flags := func(limit **int) *pflag.FlagSet {
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		set.Bool("strict", false, "")
		set.StringSlice("allow", []string{"a default"}, "")
		set.StringSlice("tags", []string{"a default"}, "")
		set.Var(cli.Optional[int]{To: limit, Parse: cli.WholeNumber, Name: "int"}, "limit", "")
		return set
	}
	from := flags(new(*int))
	from.String("config", "", "") // the other set does not have it
	if err := from.Parse([]string{"--strict", "--allow=a,b", "--limit=3", "--config=file"}); err != nil {
		t.Fatal(err)
	}
	to := flags(&limit)
	if err := cli.CopyFlags(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Set("tags", "later"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"strict": "true", "allow": "[a,b]", "tags": "[later]"} {
		if f := to.Lookup(name); f.Value.String() != want || !to.Changed(name) {
			t.Errorf("--%s is %s, want %s", name, f.Value, want)
		}
	}
	given := 0
	to.Visit(func(*pflag.Flag) { given++ })
	if given != 4 || to.Lookup("config") != nil {
		t.Errorf("%d flags are given, want 4", given)
	}
	if limit == nil || *limit != 3 {
		t.Errorf("--limit is %v, want 3", limit)
	}
	if f := from.Lookup("tags"); f.Changed || f.Value.String() != "[a default]" {
		t.Errorf("the other set has --tags=%s", f.Value)
	}
}
