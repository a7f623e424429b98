package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/arcp-go/arcp/internal/bench"
)

// TestRun makes the shortest of runs through to its file. Whether bars are
// met is not its business: so short a run says nothing.
func TestRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.txt")
	var out bytes.Buffer
	results := bench.NewResults()
	if _, err := run(results, bench.Plan{Rounds: 1, Stretch: time.Microsecond, Fold: 1}, true, path, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Forward, times the time of arcp", "Growth", "Bars", path} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	read, err := bench.ReadResults(f)
	if err != nil {
		t.Fatal(err)
	}
	if len(read.Samples) != len(results.Samples) || len(read.Samples) == 0 {
		t.Errorf("%d samples in the file, %d measured", len(read.Samples), len(results.Samples))
	}
}

// TestRunElsewhere checks that a missing folder is told before measuring.
func TestRunElsewhere(t *testing.T) {
	var out bytes.Buffer
	path := filepath.Join(t.TempDir(), "results", "run.txt")
	if _, err := run(bench.NewResults(), bench.Plan{Rounds: 1, Stretch: time.Hour, Fold: 1}, true, path, &out); err == nil || out.Len() > 0 {
		t.Errorf("error %v after the output %q", err, out.String())
	}
}
