package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A record is a file with a result for each line of each row, from which the tables of
// docs/performance.md and docs/dev/performance.md are made. Results of several runs of the harness may be in one file.
type record struct {
	path string
	rows map[string][]result // by the name of the row
}

// recordColumns are the columns of the file. Times are in milliseconds, memory is in MiB. The CPU time of
// go list is 0 in results from before 2026-11-28.
var recordColumns = []string{
	"row", "line", "date", "runs", "controller-gen", "schemagen", "go list",
	"controller-gen memory", "schemagen memory", "controller-gen CPU", "schemagen CPU", "go list CPU",
}

func (w workspace) docs(name string) string {
	return filepath.Join(filepath.Dir(w.bench), "docs", name)
}

// readRecord reads the file. It has no results if it does not exist.
func readRecord(path string) (*record, error) {
	rec := &record{path: path, rows: map[string][]result{}}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return rec, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	table, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(table) == 0 || !slices.Equal(table[0], recordColumns) {
		return nil, fmt.Errorf("%s: want the columns %s", path, strings.Join(recordColumns, ","))
	}
	for _, cells := range table[1:] {
		runs, err := strconv.Atoi(cells[3])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		var figures [8]float64
		for i, cell := range cells[4:] {
			if figures[i], err = strconv.ParseFloat(cell, 64); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
		rec.rows[cells[0]] = append(rec.rows[cells[0]], result{
			name: cells[1], date: cells[2], runs: runs,
			peer: sample{wall: duration(figures[0]), treeRSS: int64(figures[3] * 1024), cpu: duration(figures[5])},
			ours: sample{wall: duration(figures[1]), treeRSS: int64(figures[4] * 1024), cpu: duration(figures[6])},
			list: sample{wall: duration(figures[2]), cpu: duration(figures[7])},
		})
	}
	return rec, nil
}

func duration(milliseconds float64) time.Duration {
	return time.Duration(milliseconds * float64(time.Millisecond))
}

// add adds a result, which replaces an earlier one of the same line, and writes the file.
func (rec *record) add(r row, measured result) error {
	others := slices.DeleteFunc(rec.rows[r.name], func(old result) bool { return old.name == measured.name })
	rec.rows[r.name] = append(others, measured)
	return os.WriteFile(rec.path, rec.text(), 0o666)
}

// of returns the results of the lines that a row measures, and the lines without a result.
func (rec *record) of(r row) (results []result, missing []string) {
	measured, _ := r.measures(timedCases())
	for _, c := range measured {
		at := slices.IndexFunc(rec.rows[r.name], func(have result) bool { return have.name == c.name })
		if at < 0 {
			missing = append(missing, c.name)
		} else {
			results = append(results, rec.rows[r.name][at])
		}
	}
	return results, missing
}

// text returns the file, in the order of the tables and without results of lines that they
// no longer have.
func (rec *record) text() []byte {
	out := []byte(strings.Join(recordColumns, ",") + "\n")
	for _, r := range rows() {
		results, _ := rec.of(r)
		for _, m := range results {
			out = fmt.Appendf(out, "%s,%s,%s,%d,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f\n", r.name, m.name, m.date, m.runs,
				milliseconds(m.peer.wall), milliseconds(m.ours.wall), milliseconds(m.list.wall),
				mebibytes(m.peer.treeRSS), mebibytes(m.ours.treeRSS), milliseconds(m.peer.cpu), milliseconds(m.ours.cpu), milliseconds(m.list.cpu))
		}
	}
	return out
}
