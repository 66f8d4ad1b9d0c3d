package main

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

//go:embed rules.txt
var templates string

// hole is what is filled in: alternatives in braces, or a name of the list.
var hole = regexp.MustCompile(`\{[^{}:]*\|[^{}:]*\}|\b[A-Z]\b`)

// allRules are the rules of the templates, and random ones.
func allRules() []string {
	var out []string
	values := map[string][]string{}
	for line := range strings.Lines(templates) {
		line = strings.TrimSpace(line)
		if name, list, ok := strings.Cut(line, " = "); ok && len(name) == 1 {
			values[name] = strings.Split(list, " | ")
		} else if line != "" && line[0] != '#' {
			out = append(out, expand(line, values, nil)...)
		}
	}
	seen := map[string]bool{}
	for _, rule := range out {
		seen[rule] = true
	}
	for seed := uint64(0); seed < randomRules; seed++ {
		g := generator{Rand: rand.New(rand.NewPCG(seed, 1))}
		if rule := g.boolean(3); !seen[rule] && len(rule) < 300 {
			seen[rule] = true
			out = append(out, rule)
		}
	}
	return out
}

// expand fills the first hole of a template with each value, and then the rest. A name
// has the same value wherever it is.
func expand(template string, values map[string][]string, chosen map[string]string) []string {
	at := hole.FindStringIndex(template)
	if at == nil {
		return []string{template}
	}
	name := template[at[0]:at[1]]
	alternatives := values[name]
	if name[0] == '{' {
		alternatives = strings.Split(name[1:len(name)-1], "|")
	}
	var out []string
	for _, value := range alternatives {
		filled := template[:at[0]] + value + template[at[1]:]
		if name[0] != '{' {
			filled = regexp.MustCompile(`\b`+name+`\b`).ReplaceAllLiteralString(template, value)
		}
		out = append(out, expand(filled, values, chosen)...)
	}
	return out
}

const randomRules = 800

// generator makes random rules.
type generator struct {
	*rand.Rand
	// strings, lists and numbers are the variables in scope.
	strings, numbers []string
}

func (g *generator) pick(choices ...func() string) string { return choices[g.IntN(len(choices))]() }

func (g *generator) text(format string, args ...any) func() string {
	return func() string {
		values := make([]any, len(args))
		for i, arg := range args {
			if f, ok := arg.(func() string); ok {
				arg = f()
			}
			values[i] = arg
		}
		return fmt.Sprintf(format, values...)
	}
}

func (g *generator) one(of ...string) string { return of[g.IntN(len(of))] }

// within makes an expression in which a variable is in scope.
func (g *generator) within(variables *[]string, name string, make func() string) string {
	*variables = append(*variables, name)
	defer func() { *variables = (*variables)[:len(*variables)-1] }()
	return make()
}

func (g *generator) variable() string { return "v" + string(rune('a'+len(g.strings)+len(g.numbers))) }

func (g *generator) str(depth int) string {
	if depth == 0 || g.IntN(4) == 0 {
		fields := []string{"self.spec.s", "self.spec.t", "self.spec.t", "self.spec.e", "'abcdef'", "self.metadata.name", "self.spec.x.t", "string(self.spec.q)"}
		return g.one(append(fields, g.strings...)...)
	}
	s := func() string { return g.str(depth - 1) }
	l := func() string { return g.list(depth - 1) }
	n := func() string { return g.number(depth - 1) }
	b := func() string { return g.boolean(depth - 1) }
	return g.pick(
		g.text("(%s + %s)", s, s), g.text("(%s ? %s : %s)", b, s, s), g.text("%s.%s()", s, g.one("lowerAscii", "upperAscii", "trim")),
		g.text("%s.replace(%s, %s)", s, s, s), g.text("%s.substring(%s)", s, n), g.text("%s.join(%s)", l, s), g.text("string(%s)", n),
		g.text("url(%s).getHost()", s), g.text("%s[%s]", l, n), g.text("%s[%s]", g.one("self.spec.g", "self.spec.h"), s), g.text("%s.find(%s)", s, s),
		g.text("%s.%s()", l, g.one("min", "max")), g.text("self.spec.?%s.orValue(%s)", g.one("s", "t"), s), g.text("strings.quote(%s)", s),
		g.text("string(dyn(%s))", s), g.text("'%%s-%%s'.format([%s, %s])", s, s), g.text("%s.charAt(%s)", s, n),
	)
}

func (g *generator) number(depth int) string {
	if depth == 0 || g.IntN(3) == 0 {
		return g.one(append([]string{"self.spec.i", "1", "self.spec.im[0]"}, g.numbers...)...)
	}
	s := func() string { return g.str(depth - 1) }
	l := func() string { return g.list(depth - 1) }
	n := func() string { return g.number(depth - 1) }
	return g.pick(g.text("size(%s)", s), g.text("%s.size()", l), g.text("(%s %s %s)", n, g.one("+", "-", "*"), n), g.text("%s.indexOf(%s)", s, s),
		g.text("%s.sum()", g.one("self.spec.il", "self.spec.im")), func() string {
			v := g.variable()
			return fmt.Sprintf("%s.map(%s, %s).sum()", l(), v, g.within(&g.strings, v, n))
		})
}

func (g *generator) list(depth int) string {
	if depth == 0 || g.IntN(3) == 0 {
		return g.one("self.spec.l", "self.spec.m", "self.spec.m", "['abc', 'd']", "self.spec.ll[0]")
	}
	s := func() string { return g.str(depth - 1) }
	l := func() string { return g.list(depth - 1) }
	b := func() string { return g.boolean(depth - 1) }
	with := func(format, of string, make func() string) func() string {
		return func() string {
			v := g.variable()
			return fmt.Sprintf(format, of, v, g.within(&g.strings, v, make))
		}
	}
	return g.pick(
		g.text("[%s, %s]", s, s), g.text("%s.split(%s)", s, s), g.text("(%s + %s)", l, l), g.text("%s.findAll(%s)", s, s),
		with("%s.filter(%s, %s)", l(), b), with("%s.map(%s, %s)", l(), s), with("%s.map(%s, %s)", "self.spec.h", s), g.text("(%s ? %s : %s)", b, l, l),
		func() string { return fmt.Sprintf("%s.map(x, x.t)", g.one("self.spec.ol", "self.spec.om")) },
	)
}

func (g *generator) boolean(depth int) string {
	if depth == 0 {
		return g.one("self.spec.f", "true", "has(self.spec.s)")
	}
	s := func() string { return g.str(depth - 1) }
	n := func() string { return g.number(depth - 1) }
	l := func() string { return g.list(depth - 1) }
	b := func() string { return g.boolean(depth - 1) }
	over := func(name string) func() string {
		return func() string {
			v := g.variable()
			return fmt.Sprintf("%s.%s(%s, %s)", l(), name, v, g.within(&g.strings, v, b))
		}
	}
	return g.pick(
		g.text("%s.%s(%s)", s, g.one("matches", "contains", "startsWith", "endsWith"), s), g.text("matches(%s, %s)", s, s), g.text("matches(%s, %s)", s, s),
		g.text("%s == %s", s, s), g.text("%s < %s", s, s), g.text("%s %s %s", n, g.one("<", "==", ">="), n), g.text("%s in %s", s, l),
		g.text("(%s && %s)", b, b), g.text("(%s || %s)", b, b), g.text("!(%s)", b), g.text("(%s ? %s : %s)", b, b, b),
		over("all"), over("exists"), over("exists_one"), g.text("%s == %s", l, l), g.text("%s.isSorted()", l), g.text("sets.contains(%s, %s)", l, l),
		g.text("self.spec.om.all(x, x.t == %s)", s), g.text("isQuantity(%s)", s), g.text("isIP(%s)", s), g.text("cidr(%s).containsIP(%s)", s, s),
	)
}
