// Command report makes docs/performance.md and its charts from the recorded
// runs in results/. Run it in the folder of this module:
//
//	go run ./cmd/report
//
// A test of this command fails while the documentation and the recorded runs
// differ.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arcp-go/arcp/internal/bench"
)

func main() {
	results := flag.String("results", "results", "`folder` of the recorded runs")
	docs := flag.String("docs", filepath.Join("..", "..", "docs"), "`folder` to write to")
	flag.Parse()
	if err := run(*results, *docs); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func run(results, docs string) error {
	runs, err := load(results)
	if err != nil {
		return err
	}
	files, err := generate(runs)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(docs, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// load reads the recorded runs, one for each Go release, oldest release first.
func load(folder string) ([]*bench.Results, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "go1.*.txt"))
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	var runs []*bench.Results
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		r, err := bench.ReadResults(f)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		runs = append(runs, r)
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("no recorded run in %s", folder)
	}
	return runs, nil
}

// generate returns the text of every file, by name.
func generate(runs []*bench.Results) (map[string]string, error) {
	page, err := page(runs)
	if err != nil {
		return nil, err
	}
	growth, err := growthChart(runs[len(runs)-1])
	if err != nil {
		return nil, err
	}
	return map[string]string{
		"performance.md":         page,
		"performance.svg":        forwardChart(runs),
		"performance-growth.svg": growth,
	}, nil
}

// title is a release as people write it: "Go 1.26".
func title(r *bench.Results) string { return "Go " + strings.TrimPrefix(r.Release(), "go") }
