package main

import (
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocumentation checks that docs/performance.md and its charts are what
// the recorded runs say; `go run ./cmd/report` makes them so.
func TestDocumentation(t *testing.T) {
	runs, err := load(filepath.Join("..", "..", "results"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := generate(runs)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", name))
		if err != nil {
			t.Error(err)
		} else if string(got) != want {
			t.Errorf("docs/%s is not made from the recorded runs: run `go run ./cmd/report`", name)
		}
	}
}

// TestReport checks the page and the charts made of the recorded runs.
func TestReport(t *testing.T) {
	runs, err := load(filepath.Join("..", "..", "results"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := run(filepath.Join("..", "..", "results"), dir); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page := read("performance.md")
	for _, r := range runs {
		for _, want := range []string{r.Go, r.CPU, "bar, " + title(r)} {
			if !strings.Contains(page, want) {
				t.Errorf("the page does not name %q", want)
			}
		}
	}
	for _, row := range strings.Split(page, "\n") {
		if strings.HasPrefix(row, "| `") && strings.Contains(row, "!") {
			t.Errorf("a row with a formatting error: %s", row)
		}
	}
	for _, name := range []string{"performance.svg", "performance-growth.svg"} {
		if !strings.Contains(page, "("+name+")") {
			t.Errorf("the page does not show %s", name)
		}
		svg := read(name)
		if !strings.Contains(svg, "prefers-color-scheme: dark") || strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("%s has no dark colours, or no finite places", name)
		}
		d := xml.NewDecoder(strings.NewReader(svg))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	if _, err := load(t.TempDir()); err == nil {
		t.Error("a folder without runs was loaded")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go1.26.txt"), []byte("BenchmarkPeek-2 cut"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := load(dir); err == nil || !strings.Contains(err.Error(), "go1.26.txt") {
		t.Errorf("a broken file gives the error %v", err)
	}
}

func TestMark(t *testing.T) {
	if got := mark("3.00 x", false); got != "**3.00 x, missed**" {
		t.Errorf("a missed bar reads %q", got)
	}
	if got := mark("9.00 x", true); got != "9.00 x" {
		t.Errorf("a met bar reads %q", got)
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{1: "1", 1_000: "1,000", 1_000_000: "1,000,000", 12_345: "12,345"} {
		if got := count(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
