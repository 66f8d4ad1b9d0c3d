package reference

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/internal/channels/containment"
	"github.com/schemagen/schemagen/internal/channels/gatesrun"
	"github.com/schemagen/schemagen/internal/companions/applyconfiguration"
	"github.com/schemagen/schemagen/internal/companions/commandline"
	"github.com/schemagen/schemagen/internal/companions/configgen"
	"github.com/schemagen/schemagen/internal/companions/deepcopy"
	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/internal/conversions/convertprove"
	"github.com/schemagen/schemagen/internal/conversions/convertrun"
	"github.com/schemagen/schemagen/internal/conversions/rehub"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/generate"
	"github.com/schemagen/schemagen/internal/ground/markdown"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/pages/apidocs"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/run/fixes"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/internal/tryout"
	"github.com/schemagen/schemagen/internal/types/typegen"
	"github.com/schemagen/schemagen/verify"
)

// WriteCode prints the explanation of a diagnostic, or the list of all of them if the code has no number.
func WriteCode(out io.Writer, text string) error {
	code := "SG" + strings.TrimPrefix(strings.ToUpper(text), "SG")
	if code == "SG" {
		return listCodes(out)
	}
	for _, info := range Codes() {
		if string(info.Code) == code {
			_, err := io.WriteString(out, explanationOf(info))
			return err
		}
	}
	return fmt.Errorf("unknown code %q\nschemagen explain SG lists all codes", text)
}

// Codes returns the diagnostics of all packages, sorted by code.
func Codes() []*diag.Kind {
	out := slices.Concat(passes.Codes(), configgen.Codes(), deepcopy.Codes(), applyconfiguration.Codes(), verify.Codes(), apidocs.Codes(), compare.Codes(), dryrun.Codes(), tryout.Codes(), commandline.Codes(), project.Codes(), fixes.Codes(), generate.Codes(), containment.Codes(), convertrun.Codes(), convertprove.Codes(), definitions.Codes(), typegen.Codes(), conversions.Codes(), rehub.Codes(), gatesrun.Codes(), output.Codes())
	slices.SortFunc(out, func(a, b *diag.Kind) int { return strings.Compare(string(a.Code), string(b.Code)) })
	return out
}

// IsCode reports whether text is the code of a diagnostic.
func IsCode(text string) bool {
	return slices.ContainsFunc(Codes(), func(info *diag.Kind) bool { return string(info.Code) == text })
}

// listCodes prints the title of each diagnostic.
func listCodes(stdout io.Writer) error {
	var b strings.Builder
	for _, info := range Codes() {
		fmt.Fprintf(&b, "%s  %-7s  %s\n", info.Code, info.Severity, info.Title)
	}
	_, err := io.WriteString(stdout, b.String())
	return err
}

// explanationOf returns the entry of a diagnostic on [CodesPage] as plain text.
func explanationOf(info *diag.Kind) string {
	text := fmt.Sprintf("%s (%s): %s\n\n%s\n", info.Code, defaultSeverity(info), info.Title, info.Explanation)
	if info.Bad != "" {
		text += indentedExamples(info.Bad, goodHeading(info), info.Good)
	}
	for _, cause := range info.Causes {
		text += "\n… " + cause.Message + " …\n\n" + cause.Explanation + "\n" + indentedExamples(cause.Bad, goodHeading(info), cause.Good)
	}
	return text + "\n" + codesURL + "#" + markdown.Anchor(codeHeading(info)) + "\n"
}

// indentedExamples returns the examples of a diagnostic as plain text.
func indentedExamples(bad diag.Example, heading string, good diag.Example) string {
	return "\nReported:\n\n" + screen.Indent(bad.String()+"\n", "\t") + "\n" + heading + ":\n\n" + screen.Indent(good.String()+"\n", "\t")
}

// codesURL is where the page is published.
const codesURL = "https://github.com/schemagen/schemagen/blob/main/docs/diagnostics.md"

// codeHeading returns the heading of a diagnostic on the page.
func codeHeading(info *diag.Kind) string { return string(info.Code) + ": " + info.Title }

// goodHeading returns the heading of the good example. What is reported as a note is not
// wrong.
func goodHeading(kind *diag.Kind) string {
	if kind.Severity == diag.Note {
		return "Not reported"
	}
	return "Correct"
}

// defaultSeverity returns the severity of a kind, and whether it is off, unless
// schemagen.yaml sets it.
func defaultSeverity(kind *diag.Kind) string {
	if kind.Off {
		return kind.Severity.String() + ", off by default"
	}
	return kind.Severity.String()
}

// CodesPage returns the text of docs/diagnostics.md. printed has the diagnostics of each bad
// example.
func CodesPage(printed map[diag.Example]string) string {
	var b strings.Builder
	b.WriteString(`# Diagnostics

Generated from the tables in the code (` + "`make generate`" + `). Codes are stable. ` + "`schemagen explain CODE`" + ` prints an entry.

A diagnostic is an error if the API server would reject the output, or if the output would be wrong; no file is
written then. It is a warning if something that you wrote has no effect or can never hold; ` + "`--strict`" + ` treats
warnings as errors.

A package may have hundreds of the warnings SG217, SG333, SG605 and, if unions are not enabled, SG311. Only the first one in
a package is printed, with the number of the others; ` + "`--format json` and `sarif`" + ` list all of them.

Examples in Go are fields of the spec of a kind Widget, declarations or whole packages, and are reported by schemagen
crd. Other examples begin with the command, followed by files as in a txtar archive; the corrected example shows only
the changes. A YAML
file below the comment ` + "`# spec.versions[0].schema.openAPIV3Schema`" + ` has only the schema of a CRD of kind Widget.
Below an example is the diagnostic, without its hint.
`)
	for _, info := range Codes() {
		fmt.Fprintf(&b, "\n## %s\n\n%s. %s\n", codeHeading(info), capital(defaultSeverity(info)), info.Explanation)
		if info.Bad != "" {
			b.WriteString(fencedExamples(info.Bad, printed[info.Bad], goodHeading(info), info.Good))
		}
		for _, cause := range info.Causes {
			fmt.Fprintf(&b, "\n### %s: … %s …\n\n%s\n%s", info.Code, cause.Message, cause.Explanation, fencedExamples(cause.Bad, printed[cause.Bad], goodHeading(info), cause.Good))
		}
	}
	return b.String()
}

// fencedExamples returns the examples of a diagnostic as Markdown.
func fencedExamples(bad diag.Example, printed, heading string, good diag.Example) string {
	language := "go"
	if strings.HasPrefix(bad.String(), "$ ") {
		language = "console"
	}
	return fmt.Sprintf("\nReported:\n\n```%[1]s\n%[2]s\n```\n\n```text\n%[3]s```\n\n%[4]s:\n\n```%[1]s\n%[5]s\n```\n", language, bad, printed, heading, good)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
