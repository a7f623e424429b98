package bench

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Results is one run: where it ran, and its samples. Its file has the format
// of `go test -bench`, which benchstat reads.
type Results struct {
	Go         string // runtime.Version of the run
	GOOS       string
	GOARCH     string
	CPU        string // the processor's model name
	CPUs       int    // processors that the run could use
	JSONv2     string // the implementation that jsonv2 stands for
	Sonic      string // "native", or "fallback" where sonic calls encoding/json
	Experiment string // GOEXPERIMENT, "" if none
	Fold       string // how many rounds each sample is the best of
	Samples    []Sample
}

// NewResults describes this machine and this program, without samples.
func NewResults() *Results {
	r := &Results{
		Go:     runtime.Version(),
		GOOS:   runtime.GOOS,
		GOARCH: runtime.GOARCH,
		CPU:    cpuModel(),
		CPUs:   runtime.GOMAXPROCS(0),
		JSONv2: jsonV2Package,
		Sonic:  "fallback",
	}
	if SonicNative() {
		r.Sonic = "native"
	}
	// A version with experiments reads "go1.27.3 X:nojsonv2".
	r.Go, r.Experiment, _ = strings.Cut(r.Go, " X:")
	return r
}

// Release is the Go release without its patch level, as in file names:
// "go1.26" for go1.26.8.
func (r *Results) Release() string {
	parts := strings.SplitN(r.Go, ".", 3)
	if len(parts) < 2 {
		return r.Go
	}
	return parts[0] + "." + parts[1]
}

// cpuModel asks Linux; elsewhere the architecture has to do.
func cpuModel() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(info)) {
			key, value, ok := strings.Cut(line, ":")
			if ok && strings.TrimSpace(key) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return runtime.GOARCH
}

func (r *Results) keys() []struct {
	name  string
	value *string
} {
	return []struct {
		name  string
		value *string
	}{
		{"go", &r.Go}, {"experiment", &r.Experiment}, {"goos", &r.GOOS}, {"goarch", &r.GOARCH},
		{"cpu", &r.CPU}, {"jsonv2", &r.JSONv2}, {"sonic", &r.Sonic}, {"best-of-rounds", &r.Fold},
	}
}

// WriteTo writes the file.
func (r *Results) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	for _, k := range r.keys() {
		if *k.value != "" {
			fmt.Fprintf(&b, "%s: %s\n", k.name, *k.value)
		}
	}
	b.WriteString("pkg: github.com/arcp-go/arcp/internal/bench\n\n")
	for _, s := range r.Samples {
		fmt.Fprintf(&b, "Benchmark%s-%d\t%d\t%s ns/op\t%.0f B/op\t%.0f allocs/op\n",
			s.Name, r.CPUs, s.Ops, strconv.FormatFloat(s.Ns, 'f', decimals(s.Ns), 64), s.Bytes, math.Floor(s.Allocs+0.01))
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

// decimals keeps four digits of a time that matters.
func decimals(ns float64) int {
	switch {
	case ns < 100:
		return 2
	case ns < 1000:
		return 1
	}
	return 0
}

// ReadResults reads a file that WriteTo wrote.
func ReadResults(rd io.Reader) (*Results, error) {
	r := new(Results)
	lines := bufio.NewScanner(rd)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if rest, ok := strings.CutPrefix(line, "Benchmark"); ok {
			s, cpus, err := parseSample(rest)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
			r.CPUs = cpus
			r.Samples = append(r.Samples, s)
			continue
		}
		key, value, _ := strings.Cut(line, ": ")
		for _, k := range r.keys() {
			if k.name == key {
				*k.value = value
			}
		}
	}
	return r, lines.Err()
}

func parseSample(line string) (s Sample, cpus int, err error) {
	f := strings.Fields(line)
	if len(f) != 8 || f[3] != "ns/op" || f[5] != "B/op" || f[7] != "allocs/op" {
		return s, 0, fmt.Errorf("no benchmark result: %q", line)
	}
	dash := strings.LastIndexByte(f[0], '-')
	if dash < 0 {
		return s, 0, fmt.Errorf("no number of processors in %q", f[0])
	}
	s.Name = f[0][:dash]
	number := func(text string) (v float64) {
		if err == nil {
			v, err = strconv.ParseFloat(text, 64)
		}
		return v
	}
	cpus, s.Ops = int(number(f[0][dash+1:])), int(number(f[1]))
	s.Ns, s.Bytes, s.Allocs = number(f[2]), number(f[4]), number(f[6])
	return s, cpus, err
}

// Best gives the best sample of each case: the least time, and the least
// allocations.
func (r *Results) Best() map[string]Sample {
	best := make(map[string]Sample)
	for _, s := range r.Samples {
		b, ok := best[s.Name]
		if !ok {
			b = s
		}
		b.Ns = min(b.Ns, s.Ns)
		b.Bytes = min(b.Bytes, s.Bytes)
		b.Allocs = min(b.Allocs, s.Allocs)
		best[s.Name] = b
	}
	return best
}
