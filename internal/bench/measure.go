package bench

import (
	"fmt"
	"runtime"
	"time"
)

// Sample is one timed stretch of a case.
type Sample struct {
	Name   string  // Case.Name
	Ops    int     // operations in the stretch
	Ns     float64 // nanoseconds an operation took
	Bytes  float64 // bytes allocated by one
	Allocs float64 // allocations made by one
}

// Plan says how long to measure.
type Plan struct {
	Rounds  int           // rounds through all cases
	Stretch time.Duration // about what one sample takes
	Fold    int           // so many rounds give one sample, the best of theirs; at least 1
}

// Measure times the cases in interleaved rounds: every round takes one
// stretch of each, so that a slow minute of the machine hits all of them and
// the best of each comes from its quiet moments. Every other round goes
// backwards, which evens out what a case leaves behind for the next. All
// cases get the same number of stretches, since more would find a better best.
func Measure(cases []Case, plan Plan, progress func(round int)) ([]Sample, error) {
	ops := make([]int, len(cases))
	for i, c := range cases {
		n, err := calibrate(c, plan.Stretch)
		if err != nil {
			return nil, err
		}
		ops[i] = n
	}
	var samples []Sample
	for round := range plan.Rounds {
		progress(round)
		first := len(samples) - len(cases) // where the samples of this fold begin
		if round%plan.Fold == 0 {
			first = len(samples)
			samples = append(samples, make([]Sample, len(cases))...)
		}
		for i := range cases {
			if round%2 == 1 {
				i = len(cases) - 1 - i
			}
			s, err := stretch(cases[i], ops[i])
			if err != nil {
				return nil, err
			}
			if best := &samples[first+i]; best.Ops == 0 || s.Ns < best.Ns {
				*best = s
			}
		}
	}
	return samples, nil
}

// calibrate finds how many operations take about the given time. The first
// ones do not count, since some libraries compile their code then, and the
// better of two timings does.
func calibrate(c Case, want time.Duration) (int, error) {
	run := func(n int) (time.Duration, error) {
		start := time.Now()
		for range n {
			if err := c.Run(); err != nil {
				return 0, fmt.Errorf("%s: %w", c.Name, err)
			}
		}
		return max(time.Since(start), 1), nil
	}
	if _, err := run(3); err != nil {
		return 0, err
	}
	for n := 1; ; n *= 2 {
		first, err := run(n)
		if err != nil {
			return 0, err
		}
		second, err := run(n)
		if err != nil {
			return 0, err
		}
		if took := min(first, second); took >= want/8 {
			return max(1, int(float64(n)*float64(want)/float64(took))), nil
		}
	}
}

// stretch takes one sample. The garbage of the case before is collected
// first; the case's own is collected within its time, as it is in a program.
func stretch(c Case, n int) (Sample, error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	for range n {
		if err := c.Run(); err != nil {
			return Sample{}, fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	return Sample{
		Name:   c.Name,
		Ops:    n,
		Ns:     float64(took.Nanoseconds()) / float64(n),
		Bytes:  float64(after.TotalAlloc-before.TotalAlloc) / float64(n),
		Allocs: float64(after.Mallocs-before.Mallocs) / float64(n),
	}, nil
}
