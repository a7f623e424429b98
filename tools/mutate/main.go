// Command mutate measures how much of a package's behaviour its tests hold fast: it puts one small fault at a time into the
// source and counts how many of them make a test fail. A fault that no test notices is a test that is missing, or no fault at all:
// the program does the same with it.
//
// It is used inside a module, with package patterns:
//
//	mutate ./xvendor ./internal/...
//
// The faults reach the compiler through go test -overlay, so nothing in the work tree is ever written. The tests of the package
// itself come first, without those that -slow names, then all of them, then those of the packages in -tests that import it.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	r := runner{}
	sample := flag.Int("sample", 0, "try no more than this `number` of faults in each package; 0 for all")
	seed := flag.Uint("seed", 1, "which faults a sample has")
	only := flag.String("only", "", "try only the faults whose line of output matches this `regexp`")
	tests := flag.String("tests", "", "`patterns`, with spaces between, of packages whose tests run too, for faults that the package's own ones miss")
	list := flag.Bool("list", false, "print the faults and try none")
	memory := flag.Uint64("memory", 6, "`GiB` of address space that a test may have, for faults that loop")
	flag.StringVar(&r.slow, "slow", "", "`regexp` of tests that run only for faults that the others miss")
	flag.IntVar(&r.parallel, "parallel", 2, "faults tried at the same `time`")
	flag.DurationVar(&r.timeout, "timeout", time.Minute, "for each run of tests")
	flag.BoolVar(&r.verbose, "v", false, "print the faults that a test notices too")
	flag.Parse()
	wanted, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	limitMemory(*memory << 30)

	packages, err := load(ctx, flag.Args(), strings.Fields(*tests))
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	r.temp = temp
	var rows []row
	for _, p := range packages {
		all, err := p.mutants()
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(pick(all, *sample, *seed), func(m mutant) bool { return !wanted.MatchString(m.String()) })
		if *list {
			for _, m := range all {
				fmt.Println(m)
			}
			continue
		}
		if err := r.sound(ctx, p); err != nil {
			return err
		}
		rows = append(rows, r.try(ctx, p, all))
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if !*list {
		report(rows)
	}
	return nil
}

// row is what came of the faults in one package.
type row struct {
	name                       string
	killed, survived, notBuilt int
}

func report(rows []row) {
	var all row
	fmt.Printf("%-28s %8s %8s %8s\n", "package", "noticed", "missed", "rate")
	line := func(r row) {
		fmt.Printf("%-28s %8d %8d %7.1f%%\n", r.name, r.killed, r.survived, 100*float64(r.killed)/float64(max(1, r.killed+r.survived)))
	}
	for _, r := range rows {
		line(r)
		all.killed += r.killed
		all.survived += r.survived
		all.notBuilt += r.notBuilt
	}
	all.name = "all"
	line(all)
	fmt.Printf("not counted: %d that do not compile\n", all.notBuilt)
}

// pick gives at most n mutants in the order of the list, n of 0 meaning all, spread evenly and the same every time.
func pick(all []mutant, n int, seed uint) []mutant {
	if n <= 0 || n >= len(all) {
		return all
	}
	order := func(m mutant) uint64 {
		h := fnv.New64a()
		fmt.Fprint(h, seed, " ", filepath.Base(m.pos.Filename), " ", m.start, m.end, m.new)
		return h.Sum64()
	}
	picked := slices.Clone(all)
	slices.SortFunc(picked, func(a, b mutant) int { return cmp.Compare(order(a), order(b)) })
	picked = picked[:n]
	slices.SortFunc(picked, func(a, b mutant) int {
		return cmp.Or(cmp.Compare(a.pos.Filename, b.pos.Filename), cmp.Compare(a.start, b.start), cmp.Compare(a.new, b.new))
	})
	return picked
}

// pkg is a package whose source gets faults.
type pkg struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Module     struct{ Path, Dir string }

	importers []string // packages whose tests reach this one
}

// load finds the packages of the patterns, and which of those whose tests may run reach them.
func load(ctx context.Context, patterns, tests []string) ([]*pkg, error) {
	if len(patterns) == 0 {
		return nil, fmt.Errorf("no packages named")
	}
	var packages []*pkg
	err := golist(ctx, func(d *json.Decoder) error {
		p := new(pkg)
		if err := d.Decode(p); err != nil {
			return err
		}
		packages = append(packages, p)
		return nil
	}, append([]string{"-json=ImportPath,Dir,GoFiles,Module"}, patterns...))
	if err != nil || len(tests) == 0 {
		return packages, err
	}
	type program struct {
		ForTest string
		Deps    []string
	}
	var programs []program
	err = golist(ctx, func(d *json.Decoder) error {
		var t program
		if err := d.Decode(&t); err != nil {
			return err
		}
		if t.ForTest != "" {
			programs = append(programs, t)
		}
		return nil
	}, append([]string{"-test", "-json=ForTest,Deps"}, tests...))
	if err != nil {
		return nil, err
	}
	for _, p := range packages {
		for _, t := range programs {
			if t.ForTest != p.ImportPath && slices.Contains(t.Deps, p.ImportPath) && !slices.Contains(p.importers, t.ForTest) {
				p.importers = append(p.importers, t.ForTest)
			}
		}
	}
	return packages, nil
}

func golist(ctx context.Context, each func(*json.Decoder) error, args []string) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		if err := each(d); err != nil {
			return err
		}
	}
	return nil
}

// mutants lists those of all files of the package, named by their place in the module.
func (p *pkg) mutants() ([]mutant, error) {
	var all []mutant
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		src, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		short, err := filepath.Rel(p.Module.Dir, path)
		if err != nil {
			return nil, err
		}
		list, err := mutants(short, src)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

type runner struct {
	temp     string
	slow     string
	parallel int
	timeout  time.Duration
	verbose  bool
}

type outcome int

const (
	survived outcome = iota
	killed
	notBuilt
)

// sound makes sure that the tests pass where there is no fault.
func (r *runner) sound(ctx context.Context, p *pkg) error {
	if result, out := r.test(ctx, "", p.ImportPath); result != survived {
		return fmt.Errorf("the tests of %s fail without any fault:\n%s", p.ImportPath, out)
	}
	return nil
}

// try runs the tests on each mutant and prints those that survive.
func (r *runner) try(ctx context.Context, p *pkg, all []mutant) row {
	sum := row{name: strings.TrimPrefix(p.ImportPath, p.Module.Path+"/")}
	var mu sync.Mutex
	var workers sync.WaitGroup
	queue := make(chan mutant)
	for i := range r.parallel {
		workers.Go(func() {
			for m := range queue {
				result, err := r.one(ctx, p, m, filepath.Join(r.temp, fmt.Sprint(i)))
				mu.Lock()
				switch {
				case ctx.Err() != nil:
				case err != nil:
					fmt.Fprintln(os.Stderr, "mutate:", err)
				case result == notBuilt:
					sum.notBuilt++
				case result == killed:
					sum.killed++
					if r.verbose {
						fmt.Println("noticed", m)
					}
				default:
					sum.survived++
					fmt.Println("missed", m)
				}
				mu.Unlock()
			}
		})
	}
	for _, m := range all {
		select {
		case queue <- m:
		case <-ctx.Done():
		}
	}
	close(queue)
	workers.Wait()
	return sum
}

// one tells what becomes of a mutant. Its files go under the name base.
func (r *runner) one(ctx context.Context, p *pkg, m mutant, base string) (outcome, error) {
	path := filepath.Join(p.Module.Dir, m.pos.Filename)
	src, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: base + ".go"}})
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(base+".go", m.apply(src), 0o600); err != nil {
		return 0, err
	}
	if err := os.WriteFile(base+".json", overlay, 0o600); err != nil {
		return 0, err
	}
	if r.slow != "" {
		if result, _ := r.test(ctx, base+".json", p.ImportPath, "-skip", r.slow); result != survived {
			return result, nil
		}
	}
	for _, target := range append([]string{p.ImportPath}, p.importers...) {
		if result, _ := r.test(ctx, base+".json", target); result != survived {
			return result, nil
		}
	}
	return survived, nil
}

// test runs the tests of one package. A test that takes too long, or too much memory, notices the fault.
func (r *runner) test(ctx context.Context, overlay, target string, flags ...string) (outcome, []byte) {
	args := []string{"test", "-vet=off", "-failfast", "-count=1", "-p=1", "-timeout", r.timeout.String(), "-overlay", overlay}
	cmd := exec.CommandContext(ctx, "go", append(append(args, flags...), target)...)
	cmd.WaitDelay = time.Minute
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return survived, out
	case bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")):
		return notBuilt, out
	}
	return killed, out
}
