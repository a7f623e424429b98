// Command measure times this module's codec and its peers in interleaved
// rounds, prints the ratios beside the bars that were promised for them, and
// writes every sample to a file that benchstat reads. It fails when a bar is
// missed or when time grows faster than the input.
//
// Run it in the folder of this module:
//
//	go run ./cmd/measure           # about four minutes, into results/latest.txt
//	go run ./cmd/measure -quick    # under a minute, for a first impression
//	go run ./cmd/measure -record   # into the file that docs/performance.md is made from
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/arcp-go/arcp/internal/bench"
)

func main() {
	var (
		quick   = flag.Bool("quick", false, "measure what the bars need and little more, in fewer and shorter rounds")
		record  = flag.Bool("record", false, "write to results/go1.N.txt, which the documentation is made from")
		out     = flag.String("o", "", "write the samples to this `file` instead")
		rounds  = flag.Int("rounds", 0, "rounds through all bodies (0: 30, or 18 if quick)")
		stretch = flag.Duration("stretch", 0, "time of one sample (0: 10ms, or 6ms if quick)")
	)
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "measure: unexpected argument %q\n", flag.Arg(0))
		os.Exit(2)
	}
	results := bench.NewResults()
	path := filepath.Join("results", "latest.txt")
	if *record {
		path = filepath.Join("results", results.Release()+".txt")
	}
	if *out != "" {
		path = *out
	}
	plan := bench.Plan{Rounds: 30, Stretch: 10 * time.Millisecond, Fold: 3}
	if *quick {
		plan.Rounds, plan.Stretch = 18, 6*time.Millisecond
	}
	if *rounds > 0 {
		plan.Rounds = *rounds
	}
	if *stretch > 0 {
		plan.Stretch = *stretch
	}
	met, err := run(results, plan, *quick, path, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
	if !met {
		fmt.Fprintln(os.Stderr, "measure: a bar is missed")
		os.Exit(1)
	}
}

// run measures, writes the file and prints the report; met is false when a
// base bar or a growth bar is missed.
func run(results *bench.Results, plan bench.Plan, quick bool, path string, w io.Writer) (met bool, err error) {
	// Minutes of measuring should not end at a folder that is not there.
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return false, fmt.Errorf("%w (run this in the folder of the module, or use -o)", err)
	}
	cases, err := bench.Cases()
	if err != nil {
		return false, err
	}
	cases = append(cases, bench.GrowthCases()...)
	if quick {
		kept := cases[:0]
		for _, c := range cases {
			if bench.Quick(c.Name) {
				kept = append(kept, c)
			}
		}
		cases = kept
	}
	fmt.Fprintf(w, "%s, %s, %d processors, sonic %s, jsonv2 is %s\n", results.Go, results.CPU, results.CPUs, results.Sonic, results.JSONv2)
	fmt.Fprintf(w, "%d bodies in %d rounds of %v each\n", len(cases), plan.Rounds, plan.Stretch)
	results.Fold = strconv.Itoa(plan.Fold)
	results.Samples, err = bench.Measure(cases, plan, func(round int) {
		fmt.Fprintf(os.Stderr, "\rround %d of %d ", round+1, plan.Rounds)
	})
	fmt.Fprintln(os.Stderr)
	if err != nil {
		return false, err
	}
	if err := save(results, path); err != nil {
		return false, err
	}
	if err := bench.PrintRatios(w, results); err != nil {
		return false, err
	}
	met, err = bench.PrintBars(w, results)
	if err != nil {
		return false, err
	}
	fmt.Fprintf(w, "\nSamples, for benchstat: %s\n", path)
	return met, nil
}

func save(results *bench.Results, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := results.WriteTo(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
