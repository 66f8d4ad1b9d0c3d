package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// channelsFile has what channels cost, as last recorded.
const channelsFile = "channels.txt"

// channelSets are numbers of channels, all but the first of which agree. A target bounds the
// ratio to the line before; 0 is none.
func channelSets() []channelSet {
	return []channelSet{{0, 0}, {1, 1.35}, {9, 1.1}}
}

type channelSet struct {
	others int // channels besides the experimental one
	target float64
}

// channels measures the CPU time that channels cost. The project is gateway-api, with conditions
// in place of its own tags for parts of its experimental channel.
func channels(ctx context.Context, w workspace, given string, runs int, recorded bool, out io.Writer) error {
	product, err := w.product(ctx, given)
	if err != nil {
		return err
	}
	selected, err := selectCases("gateway-api")
	if err != nil {
		return err
	}
	c := selected[0]
	versions, err := w.versions(ctx, c)
	if err != nil {
		return err
	}
	checkout, err := w.prepare(ctx, c)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "schemagen-channels-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	project, err := checkout.copyTo(filepath.Join(temp, "source"))
	if err != nil {
		return err
	}
	conditions, err := writeConditions(project.dir)
	if err != nil {
		return err
	}
	var contestants []*contestant
	for _, set := range channelSets() {
		name := fmt.Sprintf("channels-%d", set.others+1)
		file := filepath.Join(project.dir, name+".yaml")
		if err := os.WriteFile(file, []byte(set.configuration(name, c)), 0o644); err != nil {
			return err
		}
		t := &contestant{name: name, outputs: outputs{dir: filepath.Join(project.dir, name)}}
		t.commands = []command{{project.dir, product, []string{"crd", "--no-cache", "--config", file}}}
		contestants = append(contestants, t)
	}
	for range runs + 1 { // the first is not counted
		for _, t := range contestants {
			s, err := t.run(ctx)
			if err != nil {
				return err
			}
			t.samples = append(t.samples, s)
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s with %d conditions, %s; medians of %d alternating runs.\n", versions, conditions, time.Now().UTC().Format(time.DateOnly), runs)
	var before time.Duration
	for i, set := range channelSets() {
		t := contestants[i]
		t.samples = t.samples[1:]
		cpu := t.median().cpu
		fmt.Fprintf(&text, "%2d channels: %.0f ms of CPU", set.others+1, milliseconds(cpu))
		if set.target > 0 {
			fmt.Fprintf(&text, ", %.2f of the line above (at most %.2f)", float64(cpu)/float64(before), set.target)
		}
		text.WriteString("\n")
		before = cpu
	}
	if recorded {
		if err := os.WriteFile(channelsFile, []byte(text.String()), 0o644); err != nil {
			return err
		}
	}
	_, err = io.WriteString(out, text.String())
	return err
}

// configuration returns the project file: channel experimental, and others, of which the first
// is standard and has no gates. All have an annotation of their own, and write below dir.
func (s channelSet) configuration(dir string, c benchCase) string {
	var b strings.Builder
	fmt.Fprintf(&b, "paths: [%s]\noutputs: {crd: %s}\nchannels:\n", strings.Join(c.patterns(), ", "), dir)
	for i := range s.others + 1 {
		name, gates := fmt.Sprintf("early-%d", i), fmt.Sprintf("[experimental, unused-%d]", i)
		if i == 1 {
			name, gates = "standard", "[]"
		}
		fmt.Fprintf(&b, "  %s: {gates: %s, annotations: {gateway.networking.k8s.io/channel: %s}}\n", name, gates, name)
	}
	return b.String()
}

// gatewayTag matches gateway-api's tags for parts of a channel.
var gatewayTag = regexp.MustCompile(`(?m)^(\s*//) *<(/?)gateway:(experimental|standard)(:description|:validation:.*)?>[ \t]*$`)

// writeConditions replaces the tags in the Go files below a directory, and returns their number.
func writeConditions(dir string) (n int, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		changed := gatewayTag.ReplaceAllStringFunc(string(source), func(line string) string {
			n++
			m := gatewayTag.FindStringSubmatch(line)
			gate := "experimental"
			if m[3] == "standard" {
				gate = "!experimental"
			}
			switch {
			case m[4] == ":description" && m[2] == "/":
				return m[1] + " +schemagen:doc:end"
			case m[4] == ":description":
				return fmt.Sprintf("%s +schemagen:doc(%s)", m[1], gate)
			case m[4] != "":
				return fmt.Sprintf("%s +schemagen:when(%s)=+kubebuilder%s", m[1], gate, m[4])
			}
			return fmt.Sprintf("%s +schemagen:when(%s)", m[1], gate)
		})
		if changed == string(source) {
			return nil
		}
		return os.WriteFile(path, []byte(changed), 0o644)
	})
	if err == nil && n == 0 {
		err = errors.New("no tags found")
	}
	return n, err
}
