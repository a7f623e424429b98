package conformance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/arcp-go/arcp/envelopetest"
	"github.com/arcp-go/arcp/internal/bench"
)

// column is one codec of the table.
type column struct {
	codec string // bench.Codec.Name
	title string
}

var columns = []column{
	{"arcp", "this codec"},
	{"json-struct", "`encoding/json`, struct"},
	{"json-map", "`encoding/json`, struct and map"},
	{"jsonv2", "`encoding/json/v2`, embedded map"},
	{"sonic-map", "sonic, struct and map"},
	{"cloudevents", "cloudevents"},
}

// Row is one rule, with what every codec made of its cases.
type Row struct {
	Section, Rule string
	Verdict       envelopetest.Verdict
	Outcomes      map[string][]Outcome // by codec, a case each
}

// Run takes every fixture through every codec; rows come in the order of the
// fixtures.
func Run(fixtures []envelopetest.Fixture) []*Row {
	forward := make(map[string]func([]byte) ([]byte, error))
	for _, c := range bench.Codecs() {
		forward[c.Name] = func(message []byte) ([]byte, error) { return c.Forward(nil, message) }
	}
	var rows []*Row
	for _, f := range fixtures {
		i := slices.IndexFunc(rows, func(r *Row) bool {
			return r.Section == f.Section && r.Rule == f.Rule && r.Verdict == f.Verdict
		})
		if i < 0 {
			i = len(rows)
			rows = append(rows, &Row{f.Section, f.Rule, f.Verdict, make(map[string][]Outcome)})
		}
		data := f.Data()
		for _, c := range columns {
			message := data
			if c.codec == "cloudevents" {
				message = toEvent(data)
			}
			rows[i].Outcomes[c.codec] = append(rows[i].Outcomes[c.codec], Of(f.Verdict, message, forward[c.codec]))
		}
	}
	return rows
}

const intro = `# Conformance

<!-- Made by the test of internal/bench/conformance; edits are lost. -->

What becomes of a message that is decoded and encoded again, measured: every case of [envelopetest](../envelopetest), rule by rule,
through this codec and through the libraries that a Go program would use in its place. Each is used as the performance
page [says](performance.md#who-is-compared-and-what-is-lost), with its default options.

- *carried*: byte for byte. *rewritten*: the same JSON value in other bytes (order, white space, escapes).
- *lost*: what a receiver does not get, or gets changed. *core values*: a core field has another value than the message gave it, or
  one that the message does not have. *null fields* and *empty fields*: core fields of that value are left out.
- *refused*: an error. *passed on*: the message should have been refused, and came out again.
- Where the cases of a rule differ, the cell counts them. In bold: what the rule forbids.

The limits are this codec's own; the others have none, or others, and passing such a message on is no fault in them. For cloudevents the
messages are fitted to its rules first: names of letters and digits, objects in extensions as text.

`

// Page is the text of docs/conformance.md.
func Page(rows []*Row) string {
	var b strings.Builder
	b.WriteString(intro)
	summary(&b, rows)
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b *Row) int { return slices.Compare(number(a.Section), number(b.Section)) })
	for _, source := range sources(rows) {
		fmt.Fprintf(&b, "\n## %s\n\n| § | rule | cases |", source)
		head(&b, 3)
		for _, r := range rows {
			name, section := split(r.Section)
			if name != source {
				continue
			}
			fmt.Fprintf(&b, "| %s | %s | %d |", section, strings.ReplaceAll(r.Rule, "|", `\|`), len(r.Outcomes[columns[0].codec]))
			for _, c := range columns {
				fmt.Fprintf(&b, " %s |", cell(r.Verdict, r.Outcomes[c.codec]))
			}
			b.WriteString("\n")
		}
	}
	b.WriteString(`
## How to run it again

In ~internal/bench~, ~go test ./conformance~ checks this page, and ~go test ./conformance -update~ makes it anew.
`)
	return strings.ReplaceAll(b.String(), "~", "`")
}

// split parts a section into the document and the number in it: "RFC 8259"
// and "7", or "package envelope" and "limits".
func split(section string) (source, number string) {
	if source, number, ok := strings.Cut(section, " §"); ok {
		return source, number
	}
	source, number, _ = strings.Cut(section, ": ")
	return source, number
}

// sources lists the documents that rules come from.
func sources(rows []*Row) []string {
	var names []string
	for _, r := range rows {
		if name, _ := split(r.Section); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// number is a section's number part by part, so that 10 comes after 8.2.
func number(section string) []int {
	_, text := split(section)
	var parts []int
	for part := range strings.SplitSeq(text, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		parts = append(parts, n)
	}
	return parts
}

// head writes the columns' titles after those of the first few, and the line
// below them.
func head(b *strings.Builder, first int) {
	for _, c := range columns {
		fmt.Fprintf(b, " %s |", c.title)
	}
	b.WriteString("\n|" + strings.Repeat(" --- |", first+len(columns)) + "\n")
}

// summary counts, for each codec, the cases by their outcome.
func summary(b *strings.Builder, rows []*Row) {
	kinds := []struct {
		title   string
		verdict envelopetest.Verdict
		is      func(Outcome) bool
	}{
		{"carried byte for byte", envelopetest.Carry, func(o Outcome) bool { return o == Carried }},
		{"rewritten, the same value", envelopetest.Carry, func(o Outcome) bool { return o == Rewritten }},
		{"carried with a loss", envelopetest.Carry, func(o Outcome) bool { return !o.Good(envelopetest.Carry) && o != Refused }},
		{"refused, though it should be carried", envelopetest.Carry, func(o Outcome) bool { return o == Refused }},
		{"refused, as it should be", envelopetest.Refuse, func(o Outcome) bool { return o == Refused }},
		{"passed on, though it should be refused", envelopetest.Refuse, func(o Outcome) bool { return o != Refused }},
	}
	b.WriteString("| cases |")
	head(b, 1)
	for _, k := range kinds {
		fmt.Fprintf(b, "| %s |", k.title)
		for _, c := range columns {
			n := 0
			for _, r := range rows {
				if r.Verdict != k.verdict {
					continue
				}
				for _, o := range r.Outcomes[c.codec] {
					if k.is(o) {
						n++
					}
				}
			}
			fmt.Fprintf(b, " %d |", n)
		}
		b.WriteString("\n")
	}
}

// cell tells the outcomes of a rule's cases, most frequent first, in bold
// what should not be.
func cell(verdict envelopetest.Verdict, outcomes []Outcome) string {
	count := make(map[Outcome]int)
	var kinds []Outcome
	for _, o := range outcomes {
		if count[o]++; count[o] == 1 {
			kinds = append(kinds, o)
		}
	}
	slices.SortStableFunc(kinds, func(a, b Outcome) int { return count[b] - count[a] })
	var words []string
	for _, o := range kinds {
		word := string(o)
		if len(kinds) > 1 {
			word = fmt.Sprintf("%d %s", count[o], o)
		}
		if !o.Good(verdict) {
			word = "**" + word + "**"
		}
		words = append(words, word)
	}
	return strings.Join(words, "; ")
}
