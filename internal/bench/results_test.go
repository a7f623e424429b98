package bench

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestResultsFile checks that a run comes back from its file as it was, and
// that the file has the form that benchstat reads.
func TestResultsFile(t *testing.T) {
	run := NewResults()
	run.Fold = "3"
	run.CPUs = 2
	run.Samples = []Sample{
		{"Forward/size=small/codec=arcp", 1000, 812.5, 1312, 4},
		{"Forward/size=small/codec=arcp", 1000, 12.25, 1312, 4},
		{"Limit/size=large/codec=json.Valid", 3, 4_123_456, 0, 0},
	}
	var file bytes.Buffer
	if _, err := run.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	if want := "\nBenchmarkForward/size=small/codec=arcp-2\t1000\t812.5 ns/op\t1312 B/op\t4 allocs/op\n"; !strings.Contains(file.String(), want) {
		t.Errorf("no line %q in\n%s", want, file.String())
	}
	got, err := ReadResults(&file)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, run) {
		t.Errorf("read\n%+v, wrote\n%+v", got, run)
	}
	if got.CPU == "" || !strings.HasPrefix(got.Release(), "go1.") || strings.Count(got.Release(), ".") != 1 {
		t.Errorf("processor %q, release %q", got.CPU, got.Release())
	}
}

func TestReadResultsRefuses(t *testing.T) {
	for rule, line := range map[string]string{
		"a line cut short":        "BenchmarkPeek-2\t10\t5 ns/op",
		"a unit that is not ours": "BenchmarkPeek-2\t10\t5 ns/op\t5 MB/s\t0 allocs/op",
		"no processors":           "BenchmarkPeek\t10\t5 ns/op\t0 B/op\t0 allocs/op",
		"no number":               "BenchmarkPeek-2\t10\tfast ns/op\t0 B/op\t0 allocs/op",
	} {
		if r, err := ReadResults(strings.NewReader("go: go1.26.8\n" + line + "\n")); err == nil {
			t.Errorf("%s: no error, samples %v", rule, r.Samples)
		} else if !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%s: %v names no line", rule, err)
		}
	}
}

// TestMeasure checks the order of rounds and that each sample is the best of
// its rounds.
func TestMeasure(t *testing.T) {
	var order []string
	note := func(name string) Case {
		return Case{Name: name, Run: func() error { order = append(order, name); return nil }}
	}
	var rounds []int
	samples, err := Measure([]Case{note("a"), note("b")}, Plan{Rounds: 4, Stretch: 1, Fold: 2}, func(round int) {
		order = append(order, "|")
		rounds = append(rounds, round)
	})
	if err != nil {
		t.Fatal(err)
	}
	_, measured, _ := strings.Cut(strings.Join(order, ""), "|")
	if want := "ab|ba|ab|ba"; measured != want {
		t.Errorf("order %s, want %s", measured, want)
	}
	if len(samples) != 4 || samples[0].Name != "a" || samples[3].Name != "b" || len(rounds) != 4 {
		t.Errorf("samples %v, rounds %v", samples, rounds)
	}

	calls := 0
	uneven := Case{Name: "uneven", Run: func() error {
		if calls++; calls > 5 && calls%2 == 0 { // every other stretch, after calibration's five calls
			time.Sleep(100 * time.Millisecond)
		}
		return nil
	}}
	samples, err = Measure([]Case{uneven}, Plan{Rounds: 2, Stretch: 1, Fold: 2}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	if len(samples) != 1 || samples[0].Ns >= 100e6 {
		t.Errorf("%v, want one sample without the slow round", samples)
	}

	broken := Case{Name: "broken", Run: func() error { return errors.New("no") }}
	if _, err := Measure([]Case{broken}, Plan{Rounds: 1, Stretch: 1, Fold: 1}, func(int) {}); err == nil {
		t.Error("a body that fails was measured")
	}
}

// TestMeasureAllocations checks the counts against bodies of known cost.
func TestMeasureAllocations(t *testing.T) {
	var kept [8][]byte
	i := 0
	c := Case{Name: "kilobyte", Run: func() error {
		kept[i%len(kept)] = make([]byte, 1024)
		i++
		return nil
	}}
	samples, err := Measure([]Case{c}, Plan{Rounds: 3, Stretch: 5 * time.Millisecond, Fold: 3}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	if s := samples[0]; math.Round(s.Allocs) != 1 || s.Bytes < 1024 || s.Bytes > 1100 {
		t.Errorf("%v, want one allocation of 1,024 bytes", s)
	}
}

// madeUp is a run in which every case of a bar takes what the ratio says and
// every growth step is the given one.
func madeUp(release string, ratio, step float64) *Results {
	r := &Results{Go: release, CPUs: 2}
	add := func(name string, ns, allocs float64) {
		r.Samples = append(r.Samples, Sample{name, 1, ns, 0, allocs}, Sample{name, 1, 2 * ns, 0, allocs + 1})
	}
	ours := make(map[string]bool)
	for _, b := range Bars() {
		ours[b.Ours] = true
	}
	for _, b := range Bars() {
		add(b.Ours, 100, max(b.MaxAllocs, 0))
		if b.Theirs != "" && !ours[b.Theirs] {
			add(b.Theirs, 100*ratio, 50)
		}
	}
	for _, a := range Axes() {
		for _, w := range growthWorks {
			for i, n := range a.Points {
				add(growthName(a.Name, w.name, n), 100*math.Pow(step, float64(i)), 0)
			}
		}
	}
	return r
}

// TestBars checks the verdicts on runs whose outcome is known.
func TestBars(t *testing.T) {
	tests := []struct {
		rule       string
		run        *Results
		met, lofty int // bars met, stretch bars met, of eight
		all        bool
	}{
		{"everything fast", madeUp("go1.26.8", 20, 10), 8, 8, true},
		{"everything as slow as the others", madeUp("go1.26.8", 1, 10), 2, 1, false},
		{"4.5 times is enough for encoding/json on 1.27 only", madeUp("go1.27.3", 4.5, 10), 6, 4, false},
		{"4.5 times on 1.26", madeUp("go1.26.8", 4.5, 10), 5, 4, false},
		{"time grows with the square", madeUp("go1.26.8", 20, 100), 8, 8, false},
		{"a step just over the bar", madeUp("go1.26.8", 20, MaxGrowth+0.01), 8, 8, false},
		{"a step on the bar", madeUp("go1.26.8", 20, MaxGrowth-1e-9), 8, 8, true},
	}
	for _, tt := range tests {
		verdicts, err := tt.run.Judge()
		if err != nil {
			t.Fatalf("%s: %v", tt.rule, err)
		}
		met, lofty := 0, 0
		for _, v := range verdicts {
			if v.Met {
				met++
			}
			if v.StretchMet {
				lofty++
			}
		}
		var out bytes.Buffer
		all, err := PrintBars(&out, tt.run)
		if err != nil {
			t.Fatalf("%s: %v", tt.rule, err)
		}
		if met != tt.met || lofty != tt.lofty || all != tt.all {
			t.Errorf("%s: %d bars and %d stretch bars met, all %t; want %d, %d, %t", tt.rule, met, lofty, all, tt.met, tt.lofty, tt.all)
		}
		if missed := strings.Contains(out.String(), "NOT MET"); missed == tt.all {
			t.Errorf("%s: the text says otherwise:\n%s", tt.rule, out.String())
		}
	}
}

// TestBarsAllocations checks that a fast codec that allocates too much misses.
func TestBarsAllocations(t *testing.T) {
	run := madeUp("go1.26.8", 20, 10)
	for i := range run.Samples {
		run.Samples[i].Allocs += 6
	}
	verdicts, err := run.Judge()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range verdicts {
		if lean := v.MaxAllocs < 0; v.Met != lean {
			t.Errorf("%s beside %q: met %t with %v allocations of %v", v.Work, v.Beside, v.Met, v.Allocs, v.MaxAllocs)
		}
	}
}

// TestIncompleteRun checks that a run without the cases of a bar is no
// success.
func TestIncompleteRun(t *testing.T) {
	whole := madeUp("go1.26.8", 20, 10)
	for _, missing := range []string{Bars()[0].Ours, Bars()[0].Theirs, growthName("depth", "Peek", 100)} {
		part := *whole
		part.Samples = nil
		for _, s := range whole.Samples {
			if s.Name != missing {
				part.Samples = append(part.Samples, s)
			}
		}
		if _, err := PrintBars(&bytes.Buffer{}, &part); err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("without %s: error %v", missing, err)
		}
	}
}

// TestBarsAreMeasured checks that every bar names cases that exist, and that
// a quick run has them too.
func TestBarsAreMeasured(t *testing.T) {
	cases, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	there := make(map[string]bool)
	for _, c := range cases {
		there[c.Name] = true
	}
	for _, b := range Bars() {
		for _, name := range []string{b.Ours, b.Theirs} {
			if name != "" && (!there[name] || !Quick(name)) {
				t.Errorf("%s: case %s exists %t, is part of a quick run %t", b.Work, name, there[name], Quick(name))
			}
		}
	}
}

// TestGrowthCases checks that each message has the size that its axis says,
// and that the bodies run.
func TestGrowthCases(t *testing.T) {
	depth := func(text []byte) int {
		most, now := 0, 0
		for _, c := range text {
			switch c {
			case '{', '[':
				now++
				most = max(most, now)
			case '}', ']':
				now--
			}
		}
		return most
	}
	for _, a := range Axes() {
		if first, last := a.Points[0], a.Points[len(a.Points)-1]; last < 10_000*first {
			t.Errorf("%s: %d to %d are no four decades", a.Name, first, last)
		}
		for _, n := range a.Points {
			text := a.Make(n)
			members, err := Members(text)
			if err != nil {
				t.Fatalf("%s %d: %v", a.Name, n, err)
			}
			switch a.Name {
			case "size":
				if len(text) > n || len(text) < n-12 {
					t.Errorf("%d bytes, want %d", len(text), n)
				}
			case "fields":
				if len(members) != n {
					t.Errorf("%d fields, want %d", len(members), n)
				}
			case "depth":
				if d := depth(text); d != n {
					t.Errorf("depth %d, want %d", d, n)
				}
			}
		}
	}
	for _, c := range GrowthCases() {
		if err := c.Run(); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

// TestTables checks what the rows of a table are held against.
func TestTables(t *testing.T) {
	run := &Results{Samples: []Sample{
		{CaseName("Forward", "small", "arcp"), 1, 100, 0, 0},
		{CaseName("Forward", "small", "jsonv2"), 1, 550, 0, 0},
		{CaseName("Limit", "small", "copy"), 1, 5, 0, 0},
	}}
	for work, want := range map[string]string{
		"Forward": "arcp 100 ns; jsonv2 5.50; ",
		"Limit":   "arcp 100 ns; copy 0.05; ",
		"Peek":    "",
	} {
		got := ""
		for _, row := range run.Table(work, run.Best()).Rows {
			got += fmt.Sprintf("%s %s; ", row.Codec, row.Cells[0].Text(row.Codec == "arcp"))
		}
		if got != want {
			t.Errorf("%s: %q, want %q", work, got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	for ns, want := range map[float64]string{
		0.5: "0.50 ns", 12.34: "12.3 ns", 123.4: "123 ns", 1234: "1.23 µs", 56_789: "56.8 µs", 4_560_000: "4.56 ms", 2.5e9: "2.50 s",
	} {
		if got := Duration(ns); got != want {
			t.Errorf("%v: %s, want %s", ns, got, want)
		}
	}
}
