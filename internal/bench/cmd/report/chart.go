package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/arcp-go/arcp/internal/bench"
)

// style serves readers in light and in dark; the picture brings its own
// background for those whose viewer knows neither.
const style = `<style>
text { font: 12px system-ui, sans-serif; fill: #1f2328; }
.head { font-weight: 600; font-size: 14px; } .dim { fill: #59636e; } .end { text-anchor: end; } .mid { text-anchor: middle; }
.back { fill: #ffffff; } .axis { stroke: #d1d9e0; fill: none; }
.ours, .fill0 { fill: #0969da; } .keeps { fill: #8c959f; } .loses, .fill1 { fill: #bf3989; } .fill2 { fill: #1a7f37; } .fill3 { fill: #9a6700; }
.curve { fill: none; stroke-width: 2; } .line0 { stroke: #0969da; } .line1 { stroke: #bf3989; } .line2 { stroke: #1a7f37; } .line3 { stroke: #9a6700; }
.ideal { fill: none; stroke: #59636e; stroke-dasharray: 3 4; }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc; } .dim { fill: #9198a1; } .back { fill: #0d1117; } .axis { stroke: #3d444d; } .ideal { stroke: #9198a1; }
.ours, .fill0 { fill: #4493f8; } .keeps { fill: #767e89; } .loses, .fill1 { fill: #db61a2; } .fill2 { fill: #3fb950; } .fill3 { fill: #d29922; }
.line0 { stroke: #4493f8; } .line1 { stroke: #db61a2; } .line2 { stroke: #3fb950; } .line3 { stroke: #d29922; }
}
</style>
`

func open(b *strings.Builder, width, height int, label string) {
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`+"\n", width, height, width, height, label)
	b.WriteString(style)
	fmt.Fprintf(b, `<rect class="back" width="%d" height="%d" rx="6"/>`+"\n", width, height)
}

func text(b *strings.Builder, x, y float64, class, s string) {
	s = strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(s)
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" class="%s">%s</text>`+"\n", x, y, class, s)
}

// forwardChart is a bar for each codec: the time to decode and encode a
// message unchanged, as a multiple of arcp's. Columns are Go releases, rows
// messages.
func forwardChart(runs []*bench.Results) string {
	const (
		columnWidth = 440
		labels      = 110 // room for the codecs' names
		values      = 60  // room for the ratios
		bar, gap    = 14, 6
		top         = 84
		blockHead   = 30
	)
	codecs := bench.Codecs()
	sizes := []string{"small", "medium", "large"}
	block := blockHead + len(codecs)*(bar+gap) + 14
	width, height := 20+columnWidth*len(runs), top+block*len(sizes)
	var b strings.Builder
	open(&b, width, height, "Time to decode and encode an envelope unchanged, as a multiple of this codec's time, for each library")
	text(&b, 20, 28, "head", "Decode and encode unchanged: time, this codec = 1 (shorter is better)")
	legend := []struct{ class, words string }{{"ours", "this codec"}, {"keeps", "keeps extensions"}, {"loses", "loses extensions"}}
	for i, l := range legend {
		x := 20 + 140*i
		fmt.Fprintf(&b, `<rect class="%s" x="%d" y="42" width="12" height="12" rx="2"/>`+"\n", l.class, x)
		text(&b, float64(x+18), 52, "dim", l.words)
	}
	for column, r := range runs {
		best := r.Best()
		x := float64(20 + columnWidth*column)
		text(&b, x, 76, "head", title(r))
		for row, size := range sizes {
			y := float64(top + block*row)
			text(&b, x, y+18, "dim", size)
			base := best[bench.CaseName("Forward", size, "arcp")].Ns
			most := 0.0
			for _, c := range codecs {
				most = max(most, best[bench.CaseName("Forward", size, c.Name)].Ns/base)
			}
			for i, c := range codecs {
				s, ok := best[bench.CaseName("Forward", size, c.Name)]
				if !ok {
					continue
				}
				ratio := s.Ns / base
				by := y + blockHead + float64(i*(bar+gap))
				length := max(1, ratio/most*(columnWidth-labels-values-10))
				text(&b, x+labels-8, by+11, "end", c.Name)
				fmt.Fprintf(&b, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%d" rx="2"/>`+"\n", class(c), x+labels, by, length, bar)
				text(&b, x+labels+length+6, by+11, "dim", fmt.Sprintf("%.3g", ratio))
			}
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func class(c bench.Codec) string {
	if strings.HasPrefix(c.Name, "arcp") {
		return "ours"
	}
	for _, l := range c.Loses {
		if l == bench.LosesExtensions {
			return "loses"
		}
	}
	return "keeps"
}

// growthChart draws time against input, both logarithmic, so that linear
// growth is as steep as the dashed line.
func growthChart(r *bench.Results) (string, error) {
	const (
		panel, plotHeight = 300, 240
		left, top         = 60, 84
		low, high         = 1.0, 8.0 // decades of nanoseconds
	)
	curves, err := r.Growth()
	if err != nil {
		return "", err
	}
	axes := bench.Axes()
	perAxis := len(curves) / len(axes)
	width, height := left+panel*len(axes), top+plotHeight+56
	var b strings.Builder
	open(&b, width, height, "Time against size, number of fields and depth; every curve is at most as steep as linear growth, give or take the caches")
	text(&b, 20, 28, "head", "Time of one operation as the message grows, "+title(r))
	for i := range perAxis {
		x := 20 + 110*i
		fmt.Fprintf(&b, `<rect class="fill%d" x="%d" y="42" width="12" height="12" rx="2"/>`+"\n", i, x)
		text(&b, float64(x+18), 52, "dim", curves[i].Work)
	}
	x := float64(20 + 110*perAxis)
	fmt.Fprintf(&b, `<path class="ideal" d="M%.0f 48h22"/>`+"\n", x)
	text(&b, x+28, 52, "dim", "linear")
	up := func(ns float64) float64 {
		return top + plotHeight*(1-(math.Log10(ns)-low)/(high-low))
	}
	for p, a := range axes {
		origin := float64(left + panel*p)
		wide := float64(panel - 50)
		across := func(i int) float64 { return origin + wide*float64(i)/float64(len(a.Points)-1) }
		for d := low; d <= high; d++ {
			y := up(math.Pow(10, d))
			fmt.Fprintf(&b, `<path class="axis" d="M%.1f %.1fh%.1f"/>`+"\n", origin, y, wide)
			if p == 0 {
				text(&b, origin-8, y+4, "dim end", decade(d))
			}
		}
		for i, n := range a.Points {
			text(&b, across(i), top+plotHeight+18, "dim mid", count(n))
		}
		text(&b, origin+wide/2, top+plotHeight+40, "mid", a.Unit)
		steps := float64(len(a.Points) - 1)
		// The line starts where the slowest curve's last point lies, ten times less for each step to the left.
		last := curves[p*perAxis].Ns[len(a.Points)-1]
		start, from := last/math.Pow(10, steps), 0.0
		if start < 10 {
			from = 1 - math.Log10(start)
			start = 10
		}
		fmt.Fprintf(&b, `<path class="ideal" d="M%.1f %.1fL%.1f %.1f"/>`+"\n", origin+wide*from/steps, up(start), origin+wide, up(last))
		for i, c := range curves[p*perAxis : (p+1)*perAxis] {
			var path strings.Builder
			for j, ns := range c.Ns {
				fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(j, 1)], across(j), up(ns))
			}
			fmt.Fprintf(&b, `<path class="curve line%d" d="%s"/>`+"\n", i, path.String())
		}
	}
	b.WriteString("</svg>\n")
	return b.String(), nil
}

// count writes a number with a comma between thousands.
func count(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return count(n/1000) + fmt.Sprintf(",%03d", n%1000)
}

// decade names a power of ten of nanoseconds.
func decade(exponent float64) string {
	e := int(exponent)
	return fmt.Sprintf("%.0f %s", math.Pow(10, float64(e%3)), []string{"ns", "µs", "ms", "s"}[e/3])
}
