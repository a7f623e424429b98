package bench

import (
	"fmt"
	"strings"
)

// Bar is a promise about speed: Ours takes at least so many times less time
// than Theirs, and allocates no more than it may.
type Bar struct {
	Work         string // what is done, in words
	Beside       string // what it is compared with, in words; "" for allocations alone
	Ours, Theirs string // case names; Theirs is "" for allocations alone
	Base         float64
	Base127      float64 // the bar from Go 1.27 on, whose encoding/json is faster
	Stretch      float64
	MaxAllocs    float64 // per operation; negative for no bar
}

// Bars returns the promises, in the order of the design.
func Bars() []Bar {
	forward := func(size, codec string) string { return CaseName("Forward", size, codec) }
	valid := func(size string) string { return CaseName("Limit", size, "gjson.ValidBytes") }
	return []Bar{
		{"`Decode` + `AppendJSON`, small", "`encoding/json`, struct", forward("small", "arcp"), forward("small", "json-struct"), 7, 4, 10, -1},
		{"`Decode` + `AppendJSON`, small", "`encoding/json/v2`, embedded map", forward("small", "arcp"), forward("small", "jsonv2"), 5, 5, 7, -1},
		{"`Decode` + `AppendJSON`, small", "", forward("small", "arcp"), "", 0, 0, 0, 5},
		{"`Decode` + `AppendJSON`, medium", "`gjson.ValidBytes` alone", forward("medium", "arcp"), valid("medium"), 0.9, 0.9, 1.1, -1},
		{"`Decode` + `AppendJSON`, large", "`gjson.ValidBytes` alone", forward("large", "arcp"), valid("large"), 4, 4, 6, -1},
		{"`Peek`, small", "`gjson.ValidBytes` alone", CaseName("Peek", "small", "arcp"), valid("small"), 1.2, 1.2, 1.5, 0},
		{"`AppendSet` of a new field, small", "`gjson.ValidBytes` + `sjson.SetRawBytes`", CaseName("Add", "small", "arcp"), CaseName("Add", "small", "gjson-sjson"), 2.5, 2.5, 4, 0},
		{"`Peek` + `AppendSet`, small", "`encoding/json` decode and encode, struct", CaseName("Route", "small", "arcp"), forward("small", "json-struct"), 9, 5, 14, -1},
	}
}

// Verdict is a bar with what was measured.
type Verdict struct {
	Bar
	Ratio      float64 // how many times less time ours took; 0 for allocations alone
	Want       float64 // the base bar on this version of Go
	Allocs     float64 // ours, per operation
	Met        bool
	StretchMet bool
}

// Judge holds the best samples of a run against the bars.
func (r *Results) Judge() ([]Verdict, error) {
	best := r.Best()
	var verdicts []Verdict
	for _, b := range Bars() {
		ours, ok := best[b.Ours]
		if !ok {
			return nil, fmt.Errorf("no sample of %s", b.Ours)
		}
		v := Verdict{Bar: b, Allocs: ours.Allocs, Want: b.Base}
		if r.later() {
			v.Want = b.Base127
		}
		lean := b.MaxAllocs < 0 || ours.Allocs <= b.MaxAllocs
		if b.Theirs != "" {
			theirs, ok := best[b.Theirs]
			if !ok {
				return nil, fmt.Errorf("no sample of %s", b.Theirs)
			}
			v.Ratio = theirs.Ns / ours.Ns
		}
		v.Met = lean && v.Ratio >= v.Want
		v.StretchMet = lean && v.Ratio >= b.Stretch
		verdicts = append(verdicts, v)
	}
	return verdicts, nil
}

// later reports whether the run was on Go 1.27 or a later release.
func (r *Results) later() bool {
	var minor int
	_, err := fmt.Sscanf(strings.TrimPrefix(r.Release(), "go1."), "%d", &minor)
	return err == nil && minor >= 27
}
