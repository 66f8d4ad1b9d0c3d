package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"
)

// speedResult has the time and allocations of generated conversions and of those that
// cluster-api wrote by hand.
const speedResult = "speed.txt"

// speed measures generated conversions beside those that cluster-api wrote by hand.
func speed(ctx context.Context, w workspace, given string, rounds int, recorded bool, out io.Writer) error {
	product, err := w.product(ctx, given)
	if err != nil {
		return err
	}
	all := allOracles()
	o := all[slices.IndexFunc(all, func(o oracle) bool { return o.name == "cluster-api" })]
	p, err := w.prepareOracle(ctx, product, o)
	defer os.RemoveAll(p.root)
	if err != nil {
		return err
	}
	table, err := p.run(ctx, "-speed", strconv.Itoa(rounds))
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s, %s: objects of about 10 kB, medians of %d alternating rounds. CPU with the garbage collector, in µs.\n%s",
		o.title(), time.Now().UTC().Format(time.DateOnly), rounds, table)
	if recorded {
		return os.WriteFile(speedResult, []byte(text), 0o644)
	}
	_, err = io.WriteString(out, text)
	return err
}
