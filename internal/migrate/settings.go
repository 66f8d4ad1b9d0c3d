package migrate

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/companions/commandline"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/internal/source/golist"
	"github.com/schemagen/schemagen/internal/terminal/consent"
)

// Settings returns the settings for a new schemagen.yaml in a directory: the packages, and what
// the Makefile passes to controller-gen, read without make. problems describe what could not be
// read.
func Settings(reader *inputs.Reader, dir string) (values []project.Initial, problems []string, err error) {
	m, err := literalMakefile(reader, dir)
	if err != nil {
		return nil, nil, err
	}
	found := settingsOf(reader, dir, m)
	return found.values, found.problems, nil
}

// AskedSettings is like [Settings], but runs the Makefile dry if its text is not enough and the user
// consents. note says why it did not, or is empty.
func AskedSettings(ctx context.Context, dir string,
	agreed consent.Consent) (values []project.Initial, problems []string, note string, err error) {
	dir = output.Physical(dir)
	m, err := literalMakefile(nil, dir)
	if err != nil {
		return nil, nil, "", err
	}
	if _, isKubebuilder := project.ReadKubebuilder(nil, dir); m != nil && !isKubebuilder {
		m.problems = append(m.problems, m.methods...)
		m.unexpanded = m.unexpanded || len(m.methods) > 0
	}
	if m != nil && m.unexpanded {
		switch recorded, err := recordedMakefile(ctx, dir, m, agreed); {
		case err != nil:
			note = err.Error()
		case recorded == nil:
			note = "make was not run: to have it expand these lines, in a copy of the project, remove " + project.Name + " and run schemagen init --yes"
		default:
			m = recorded
		}
	}
	found := settingsOf(nil, dir, m)
	return found.values, found.problems, note, nil
}

// recordedMakefile returns the calls of a dry run of a Makefile, or nil if the user does not consent.
// Their lines come from its text.
func recordedMakefile(ctx context.Context, dir string, literal *makefile, agreed consent.Consent) (*makefile, error) {
	copied, err := openProject(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer copied.remove()
	r := migration{Options: Options{Dir: dir, Consent: agreed}, project: copied, out: agreed.Out}
	command, err := r.makeGoals(ctx)
	if err != nil {
		return nil, err
	}
	if !r.Consent.Allows("Run " + strings.Join(command, " ") + " in a copy of the project; " + dryPrograms) {
		return nil, nil
	}
	found, err := r.baseline(ctx, command)
	if err != nil {
		return nil, err
	}
	if len(found.calls) == 0 {
		return nil, fmt.Errorf("%s called no controller-gen:\n%s", strings.Join(command, " "), found.printed())
	}
	slices.SortFunc(found.calls, func(a, b controllerGenCall) int { return cmp.Compare(a.order, b.order) })
	for i := range found.calls {
		found.calls[i].line = literal.lineOf(found.calls[i].args)
	}
	return &makefile{path: literal.path, calls: found.calls}, nil
}

// settingsOf returns the settings that follow from the packages and from the calls in a Makefile,
// which may be nil.
func settingsOf(reader *inputs.Reader, dir string, m *makefile) *settings {
	found := &settings{in: reader, dir: dir, generators: map[string]string{}}
	if packages, err := (*project.File)(nil).Packages(reader, dir); err == nil && !slices.Equal(packages, []string{"."}) {
		source := "found here"
		if _, isKubebuilder := project.ReadKubebuilder(reader, dir); isKubebuilder {
			source = "PROJECT"
		}
		found.add("paths", packages, source)
	}
	if m == nil {
		return found
	}
	found.problems = m.problems
	for _, call := range m.calls {
		source := m.path
		if call.line > 0 {
			source = fmt.Sprintf("%s:%d", m.path, call.line)
		}
		found.call(call, source)
	}
	if !m.incomplete {
		found.addGenerators(m.path)
	}
	return found
}

// settings collects settings from calls of controller-gen.
type settings struct {
	in       *inputs.Reader
	dir      string
	values   []project.Initial
	problems []string
	// crdSource is the call that runs the generator crd, or "".
	crdSource string
	// generators are the arguments for other generators, by name. names has the order.
	generators map[string]string
	names      []string
}

// add adds a value, unless an earlier call has set the setting.
func (s *settings) add(key string, value any, source string) {
	if !slices.ContainsFunc(s.values, func(v project.Initial) bool { return v.Key == key }) {
		s.values = append(s.values, project.Initial{Key: key, Value: value, Source: source})
	}
}

func addIfSet[T any](s *settings, key string, value *T, source string) {
	if value != nil {
		s.add(key, *value, source)
	}
}

// call adds the settings of a call. Paths and options of CRDs come from the generator crd: other
// generators of a Makefile often read all packages.
func (s *settings) call(call controllerGenCall, source string) {
	args := slices.DeleteFunc(slices.Clone(call.args), func(arg string) bool { return strings.HasPrefix(arg, "-") })
	line, err := commandline.Parse(args)
	if err != nil {
		s.problems = append(s.problems, fmt.Sprintf("%s: %v", source, err))
		return
	}
	if line.CRD != nil && s.crdSource != "" {
		if call.line == 0 {
			source += " (" + strings.Join(args, " ") + ")"
		}
		s.problems = append(s.problems, fmt.Sprintf("%s: the settings are those of %s", source, s.crdSource))
		return
	}
	if line.CRD != nil {
		s.crdSource = source
		s.crd(line, call.dir, source)
	}
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "+"), ":")
		if _, known := s.generators[name]; !known && line.Generators[name] != nil {
			s.generators[name] = arg
			s.names = append(s.names, name)
		}
	}
	for _, generator := range []string{"crd", "rbac", "webhook"} {
		rule, explicit := commandline.RuleFor(generator, line.Rules)
		if dir := commandline.Directory(rule); explicit && line.Runs(generator) && dir != "" && dir != "-" {
			s.add("outputs."+generator, s.relative(call.dir, dir), source)
		}
	}
}

// addGenerators adds the generators of all calls, unless there is only crd, or there may be others.
func (s *settings) addGenerators(source string) {
	if len(s.names) == 0 || len(s.problems) > 0 {
		return
	}
	var arguments []string
	if s.crdSource != "" {
		arguments = append(arguments, "crd")
	}
	for _, name := range s.names {
		arguments = append(arguments, s.generators[name])
	}
	s.add("generators", arguments, source)
}

// crd adds the packages and options of the generator crd.
func (s *settings) crd(line *commandline.CommandLine, dir, source string) {
	if patterns := s.patterns(line.Paths, dir, source); len(patterns) > 0 {
		s.add("paths", patterns, source)
	}
	addIfSet(s, "crd.ignoreUnexportedFields", line.CRD.IgnoreUnexportedFields, source)
	addIfSet(s, "crd.allowDangerousTypes", line.CRD.AllowDangerousTypes, source)
	addIfSet(s, "crd.embeddedObjectMeta", line.CRD.GenerateEmbeddedObjectMeta, source)
	addIfSet(s, "crd.preserveUnknownFields", line.CRD.DeprecatedV1beta1CompatibilityPreserveUnknownFields, source)
	addIfSet(s, "crd.omitToolVersion", line.CRD.OmitToolVersion, source)
	addIfSet(s, "crd.maxDescLen", line.CRD.MaxDescLen, source)
	if line.CRD.Year != "" {
		s.add("crd.year", line.CRD.Year, source)
	}
	if line.CRD.HeaderFile != "" {
		name := s.relative(dir, line.CRD.HeaderFile)
		if _, err := s.in.Stat(s.absolute(name)); err != nil {
			s.problems = append(s.problems, fmt.Sprintf("%s: %s does not exist", source, name))
			return
		}
		s.add("crd.headerFile", name, source)
	}
}

// patterns returns the patterns of packages relative to the project, without those whose
// directory does not exist, which would be an error in schemagen.yaml.
func (s *settings) patterns(paths []string, dir, source string) (out []string) {
	for _, pattern := range paths {
		if !golist.IsFilePattern(pattern) {
			out = append(out, pattern)
			continue
		}
		base := pattern
		child := ""
		if offset := strings.Index(pattern, "..."); offset >= 0 {
			base = pattern[:offset]
			child = pattern[offset:]
		}
		base = s.relative(dir, base)
		if info, err := s.in.Stat(s.absolute(base)); err != nil || !info.IsDir() {
			s.problems = append(s.problems, fmt.Sprintf("%s: directory %s does not exist", source, base))
			continue
		}
		if !strings.HasPrefix(base, ".") && !filepath.IsAbs(base) {
			base = "./" + base
		}
		if child != "" {
			base += "/" + child
		}
		out = append(out, base)
	}
	return out
}

// relative returns a path of a call in dir relative to the project, if it is below it.
func (s *settings) relative(dir, name string) string {
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	if rel, err := filepath.Rel(s.dir, s.absolute(name)); err == nil && filepath.IsLocal(rel) {
		name = rel
	}
	return filepath.ToSlash(name)
}

func (s *settings) absolute(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.dir, name)
}
