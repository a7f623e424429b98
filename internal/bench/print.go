package bench

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
)

// Quick reports whether a quick run measures the case: what the bars need,
// growth, and all work on small messages.
func Quick(name string) bool {
	for _, b := range Bars() {
		if name == b.Ours || name == b.Theirs {
			return true
		}
	}
	return strings.HasPrefix(name, "Growth/") || strings.Contains(name, "/size=small/")
}

// PrintRatios writes, for each kind of work and message, how many times the
// time of this module's codec the others take.
func PrintRatios(w io.Writer, r *Results) error {
	best := r.Best()
	for _, work := range Works {
		table := r.Table(work, best)
		if len(table.Rows) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s, times the time of arcp (best round; first row absolute)\n", work)
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintf(tw, "\t%s\t\n", strings.Join(table.Sizes, "\t"))
		for _, row := range table.Rows {
			cells := make([]string, len(row.Cells))
			for i, c := range row.Cells {
				cells[i] = c.Text(row.Codec == "arcp")
			}
			fmt.Fprintf(tw, "%s\t%s\t\n", row.Codec, strings.Join(cells, "\t"))
		}
		if err := tw.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// PrintBars writes every bar with what was measured, and reports whether all
// base bars are met.
func PrintBars(w io.Writer, r *Results) (met bool, err error) {
	verdicts, err := r.Judge()
	if err != nil {
		return false, err
	}
	curves, err := r.Growth()
	if err != nil {
		return false, err
	}
	met = true
	fmt.Fprintf(w, "\nGrowth: time at every point, and the greatest step (at most %d times for ten times the input)\n", MaxGrowth)
	for _, c := range curves {
		met = met && c.Met()
		plot(w, c)
	}
	fmt.Fprintln(w, "\nBars")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "work\tbeside\tmeasured\tbar\t\tstretch\t")
	for _, v := range verdicts {
		met = met && v.Met
		beside, measured, bar, stretch := v.Beside, v.MeasuredText(), v.BarText(), v.StretchText()
		if beside == "" {
			beside = "allocations"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", plain(v.Work), plain(beside), measured, bar, yes(v.Met), stretch, yesIf(stretch, v.StretchMet))
	}
	worst := Worst(curves)
	fmt.Fprintf(tw, "growth, ten times the input\tsize, fields, depth\t%.1f x\t%d x\t%s\t\t\n", worst, MaxGrowth, yes(worst <= MaxGrowth))
	return met, tw.Flush()
}

// Worst is the greatest step of all curves.
func Worst(curves []Curve) float64 {
	worst := 0.0
	for _, c := range curves {
		worst = max(worst, c.Worst)
	}
	return worst
}

func plain(text string) string { return strings.ReplaceAll(text, "`", "") }

func yes(met bool) string {
	if met {
		return "met"
	}
	return "NOT MET"
}

func yesIf(bar string, met bool) string {
	switch {
	case bar == "":
		return ""
	case met:
		return "met"
	}
	return "not met"
}

// MeasuredText is what was measured, as the terminal and the report show it.
func (v Verdict) MeasuredText() string {
	switch {
	case v.Theirs == "":
		return fmt.Sprintf("%.0f", v.Allocs)
	case v.MaxAllocs >= 0:
		return fmt.Sprintf("%.2f x, %.0f allocations", v.Ratio, v.Allocs)
	}
	return fmt.Sprintf("%.2f x", v.Ratio)
}

// BarText is the base bar on the version of Go that ran.
func (v Verdict) BarText() string {
	switch {
	case v.Theirs == "":
		return fmt.Sprintf("at most %.0f", v.MaxAllocs)
	case v.MaxAllocs >= 0:
		return fmt.Sprintf("%g x, %.0f allocations", v.Want, v.MaxAllocs)
	}
	return fmt.Sprintf("%g x", v.Want)
}

// StretchText is the stretch bar, "" if there is none.
func (v Verdict) StretchText() string {
	if v.Theirs == "" {
		return ""
	}
	return fmt.Sprintf("%g x", v.Stretch)
}

// plot draws a curve: a line for each point, its length the logarithm of
// the time, so that linear growth is a straight slope.
func plot(w io.Writer, c Curve) {
	fmt.Fprintf(w, "%s against %s: at most %.1f times, %s\n", c.Work, c.Axis.Name, c.Worst, yes(c.Met()))
	for i, n := range c.Axis.Points {
		length := max(1, int(6*math.Log10(c.Ns[i])))
		step := ""
		if i > 0 {
			step = fmt.Sprintf("%5.1f x", c.Ns[i]/c.Ns[i-1])
		}
		fmt.Fprintf(w, "%9d %-7s %9s %7s |%s\n", n, c.Axis.Unit, Duration(c.Ns[i]), step, strings.Repeat("=", length))
	}
}

// Duration writes a time with three digits.
func Duration(ns float64) string {
	for _, unit := range []string{"ns", "µs", "ms"} {
		if ns < 1000 {
			return fmt.Sprintf("%.*f %s", max(0, 2-int(math.Log10(max(ns, 1)))), ns, unit)
		}
		ns /= 1000
	}
	return fmt.Sprintf("%.2f s", ns)
}
