package main

import (
	"fmt"
	"strings"

	"github.com/arcp-go/arcp/internal/bench"
)

const intro = `# Performance

<!-- Made by internal/bench/cmd/report from internal/bench/results; edits are lost. -->

How fast this codec moves an envelope, measured beside the libraries that a Go program would use in its place. Every
library decodes into the same eight fields, with the extensions kept where it can, and encodes again. All figures of a
column come from one run on one machine: the bodies take turns in many short rounds, and the best
round of each counts. Only the
ratios mean something elsewhere.

`

// In rerun a ~ stands for a backquote, which a raw string cannot hold.
const rerun = `## How to run it again

%s

~make bench~ measures everything on the Go version at hand in about four minutes, prints these tables and the bars, and fails when a
bar is missed; ~go run ./cmd/measure -quick~ in ~internal/bench~ takes under a minute. To record new figures and make this page from
them, on a quiet machine and in ~internal/bench~:

    go run ./cmd/measure -record
    GOTOOLCHAIN=go1.27.3 go run ./cmd/measure -record
    go run ./cmd/report

The samples in ~internal/bench/results~ have the format of ~go test -bench~, so that benchstat compares them:
~benchstat -col /codec internal/bench/results/go1.26.txt~. To see where the time of one body goes, in ~internal/bench~:

    go test -run '^$' -bench 'All/Forward/size=small/codec=arcp$' -cpuprofile cpu.out
`

func page(runs []*bench.Results) (string, error) {
	var b strings.Builder
	b.WriteString(intro)
	if err := bars(&b, runs); err != nil {
		return "", err
	}
	b.WriteString("\n![Time to decode and encode an envelope unchanged, as a multiple of this codec's time](performance.svg)\n")
	losses(&b)
	works(&b, runs)
	allocations(&b, runs)
	if err := growth(&b, runs); err != nil {
		return "", err
	}
	var machines []string
	for _, r := range runs {
		machines = append(machines, fmt.Sprintf("- %s: %s, %s/%s, %d processors (%s); `jsonv2` is `%s`, sonic runs %s.",
			title(r), r.Go, r.GOOS, r.GOARCH, r.CPUs, r.CPU, r.JSONv2, sonicMode(r)))
	}
	fmt.Fprintf(&b, strings.ReplaceAll(rerun, "~", "`"), strings.Join(machines, "\n"))
	return b.String(), nil
}

func sonicMode(r *bench.Results) string {
	if r.Sonic == "native" {
		return "its own code"
	}
	return "`encoding/json`, having no code of its own for this processor or version of Go"
}

func bars(b *strings.Builder, runs []*bench.Results) error {
	b.WriteString("## What was promised\n\nA ratio is how many times less time this codec takes; bar and measured, for each version of Go.\n\n| work | beside |")
	for _, r := range runs {
		fmt.Fprintf(b, " bar, %s | measured |", title(r))
	}
	b.WriteString(" stretch |\n| --- | --- |" + strings.Repeat(" --- | --- |", len(runs)) + " --- |\n")
	verdicts := make([][]bench.Verdict, len(runs))
	for i, r := range runs {
		var err error
		if verdicts[i], err = r.Judge(); err != nil {
			return fmt.Errorf("%s: %w", r.Release(), err)
		}
	}
	for i, bar := range bench.Bars() {
		beside := bar.Beside
		if beside == "" {
			beside = "allocations"
		}
		fmt.Fprintf(b, "| %s | %s |", bar.Work, beside)
		stretch := "-"
		for _, v := range verdicts {
			fmt.Fprintf(b, " %s | %s |", v[i].BarText(), mark(v[i].MeasuredText(), v[i].Met))
			if s := v[i].StretchText(); s != "" {
				stretch = s
			}
		}
		fmt.Fprintf(b, " %s |\n", stretch)
	}
	b.WriteString("| ten times the input | size, fields, depth |")
	for _, r := range runs {
		curves, err := r.Growth()
		if err != nil {
			return fmt.Errorf("%s: %w", r.Release(), err)
		}
		worst := bench.Worst(curves)
		fmt.Fprintf(b, " at most %d x the time | %s |", bench.MaxGrowth, mark(fmt.Sprintf("%.1f x", worst), worst <= bench.MaxGrowth))
	}
	b.WriteString(" - |\n")
	return nil
}

func mark(text string, met bool) string {
	if met {
		return text
	}
	return "**" + text + ", missed**"
}

func losses(b *strings.Builder) {
	b.WriteString("\n## Who is compared, and what is lost\n\nThe last column is what each does to the messages measured here, as a test of `internal/bench` checks it.\n\n| codec | used as | loses |\n| --- | --- | --- |\n")
	for _, c := range bench.Codecs() {
		lost := "nothing"
		if len(c.Loses) > 0 {
			var words []string
			for _, l := range c.Loses {
				words = append(words, string(l))
			}
			lost = strings.Join(words, ", ")
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", c.Name, c.About, lost)
	}
	b.WriteString("\nMessages:\n\n")
	for _, m := range bench.Messages() {
		fmt.Fprintf(b, "- %s: %s; %d bytes\n", m.Size, m.About, m.Bytes())
	}
}

// workTitles say what each kind of work is.
var workTitles = map[string]string{
	"Forward": "Forward: decode all fields, encode them unchanged",
	"Change":  "Change: the same, with one extension given another value",
	"Peek":    "Peek: read type, session_id, job_id and event_seq",
	"Add":     "Add: put one extension into the message",
	"Route":   "Route: peek, then add",
	"Read":    "Read: find the string in one extension",
	"Stream":  "Stream: forward a stream of mixed messages, reader to writer",
	"Limit":   "Limits: copying or checking the bytes, beside Forward",
}

func works(b *strings.Builder, runs []*bench.Results) {
	names := make([]string, len(runs))
	for i, r := range runs {
		names[i] = title(r)
	}
	fmt.Fprintf(b, "\n## All work\n\nTimes as multiples of `arcp`'s, whose own row is absolute; %s. A dash stands where a codec cannot do the work.\n", strings.Join(names, " / "))
	for _, work := range bench.Works {
		tables := make([]bench.Table, len(runs))
		for i, r := range runs {
			tables[i] = r.Table(work, r.Best())
		}
		first := tables[0]
		fmt.Fprintf(b, "\n### %s\n\n| |", workTitles[work])
		for _, s := range first.Sizes {
			fmt.Fprintf(b, " %s |", s)
		}
		b.WriteString("\n| --- |" + strings.Repeat(" ---: |", len(first.Sizes)) + "\n")
		for i, row := range first.Rows {
			fmt.Fprintf(b, "| `%s` |", row.Codec)
			for j := range row.Cells {
				var cells []string
				for _, t := range tables {
					cells = append(cells, t.Rows[i].Cells[j].Text(row.Codec == "arcp"))
				}
				fmt.Fprintf(b, " %s |", strings.Join(cells, " / "))
			}
			b.WriteString("\n")
		}
	}
}

func allocations(b *strings.Builder, runs []*bench.Results) {
	r := runs[len(runs)-1]
	best := r.Best()
	fmt.Fprintf(b, "\n## Memory\n\nAllocations and bytes of one operation on the small message, %s.\n\n| |", title(r))
	shown := []string{"Forward", "Change", "Peek", "Add", "Route", "Read"}
	for _, w := range shown {
		fmt.Fprintf(b, " %s |", w)
	}
	b.WriteString("\n| --- |" + strings.Repeat(" ---: |", len(shown)) + "\n")
	for _, c := range bench.Codecs() {
		fmt.Fprintf(b, "| `%s` |", c.Name)
		for _, w := range shown {
			s, ok := best[bench.CaseName(w, "small", c.Name)]
			if !ok {
				b.WriteString(" - |")
				continue
			}
			fmt.Fprintf(b, " %.0f, %.0f B |", s.Allocs, s.Bytes)
		}
		b.WriteString("\n")
	}
}

func growth(b *strings.Builder, runs []*bench.Results) error {
	b.WriteString("\n## Growth\n\nHow many times more time ten times the input costs, at the worst step of each curve. Depth and fields go up to the default limits of 1,000 and\n1,024, and once more by ten with the limits raised.\n\n| work | against |")
	for _, r := range runs {
		fmt.Fprintf(b, " %s |", title(r))
	}
	b.WriteString("\n| --- | --- |" + strings.Repeat(" ---: |", len(runs)) + "\n")
	all := make([][]bench.Curve, len(runs))
	for i, r := range runs {
		var err error
		if all[i], err = r.Growth(); err != nil {
			return err
		}
	}
	for i, c := range all[0] {
		fmt.Fprintf(b, "| %s | %s |", c.Work, c.Axis.Name)
		for _, curves := range all {
			fmt.Fprintf(b, " %s |", mark(fmt.Sprintf("%.1f x", curves[i].Worst), curves[i].Met()))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "\n![Time against size, fields and depth, %s](performance-growth.svg)\n\n", title(runs[len(runs)-1]))
	return nil
}
