package table

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arcp-go/arcp/examples/internal/console"
	"github.com/arcp-go/arcp/examples/internal/lines"
	"github.com/arcp-go/arcp/examples/internal/testkit"
)

const good = `"arcp":"1.1","id":"m1","session_id":"s1","job_id":"j1","event_seq":7`

func rowOf(message string) Row {
	return Read(lines.Line{Number: 3, Data: []byte(message)})
}

func TestProblems(t *testing.T) {
	// A place is the text of the message that it is in front of; "" is no place. The
	// reasons are the codec's, and tested there.
	type problem struct{ field, place string }
	tests := []struct {
		rule    string
		message string
		want    []problem
	}{
		{"nothing wrong", `{` + good + `,"type":"job.event","payload":{"kind":"log","ts":"","body":1}}`, nil},
		{"no JSON: the one reason, and its place", `{` + good + `,}`, []problem{{"", `}`}}},
		{"a core field of the wrong type", `{"id":5}`, []problem{{"id", `5}`}}},
		{"all that Validate finds", `{"arcp":"1.1","type":"session.hello","payload":{},"x-vendor.":1}`, []problem{
			{"id", ""}, {"x-vendor.", `"x-vendor.`},
		}},
		{"an event that two readers could read as two", `{` + good + `,"type":"job.event","payload":{"kind":"log","kind":"status"}}`, []problem{
			{"payload.kind", `"kind":"status"`},
		}},
		{"the same where the name has an escape", `{` + good + `,"type":"job.event","pay\u006coad": {"kind":"log","kind":"status"}}`, []problem{
			{"payload.kind", `"kind":"status"`},
		}},
		{"a kind that is no string", `{` + good + `,"type":"job.event","payload":{"kind":5}}`, []problem{{"payload.kind", `5}}`}}},
		{"a payload that is no object is reported once", `{` + good + `,"type":"job.event","payload":[]}`, []problem{
			{"payload", `"payload":`},
		}},
		{"the payload of another type is its own affair", `{` + good + `,"type":"job.result","payload":{"kind":5}}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			var want []Problem
			for _, p := range tt.want {
				offset := -1
				if p.place != "" {
					offset = strings.Index(tt.message, p.place)
				}
				want = append(want, Problem{Field: p.field, Offset: offset})
			}
			got := rowOf(tt.message).Problems
			for i := range got {
				if got[i].Reason == "" {
					t.Error("a problem without a reason")
				}
				got[i].Reason = ""
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("problems of %s (-want +got):\n%s", tt.message, diff)
			}
		})
	}
}

func TestProblemsOfOtherErrors(t *testing.T) {
	got := problems(fmt.Errorf("wrapped: %w", errors.New("boom")))
	if diff := cmp.Diff([]Problem{{"", -1, "wrapped: boom"}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestExtensionNames(t *testing.T) {
	tests := []struct {
		rule, message string
		want          []string
	}{
		{"none", `{"type":"a"}`, nil},
		{"by name", `{"b":1,"a":2,"id":"x"}`, []string{"a", "b"}},
		{"inside extensions, as two of the libraries write them", `{"extensions":{"x-vendor.a.b":1,"optional":true},"c":1}`,
			[]string{"c", "extensions/x-vendor.a.b", "extensions/optional"}},
		{"an empty extensions", `{"extensions":{}}`, []string{"extensions"}},
		{"an extensions that is no object", `{"extensions":["x"]}`, []string{"extensions"}},
		{"nor a string", `{"extensions":"x"}`, []string{"extensions"}},
		{"the empty name", `{"":1}`, []string{""}},
	}
	for _, tt := range tests {
		r := rowOf(tt.message)
		if r.Envelope == nil {
			t.Fatalf("%s: %v", tt.rule, r.Problems)
		}
		if diff := cmp.Diff(tt.want, ExtensionNames(r.Envelope)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.rule, diff)
		}
	}
}

// rows are messages that a table should survive.
func rows() []Row {
	clock := time.Date(2026, 5, 13, 19, 42, 13, 123_456_789, time.UTC)
	many := `{"arcp":"1.1"`
	for i := range 20 {
		many += fmt.Sprintf(`,"x-vendor.acme.key%02d":%d`, i, i)
	}
	messages := []string{
		`{` + good + `,"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","type":"job.event","payload":{"kind":"tool_call","ts":"","body":{"secret":"hunter2"}}}`,
		`{` + good + `,"type":"job.event","payload":{"kind":"x-vendor.acme.progress"},"x-vendor.acme.token":"hunter2","":0}`,
		`{"arcp":"1.1","id":"01a22e0c-2d92-7054-a0b5-48a1fb821577","type":"session.hello","payload":{}}`,
		`{` + good + `,"type":"\u001b[2Jjob","payload":{},"\u001b]0;x\u0007":1,"line\nbreak":2}`,
		`{` + good + `,"type":"` + strings.Repeat("long", 40) + `","payload":{},"` + strings.Repeat("n", 500) + `":1}`,
		many + `}`,
		`{"type":"hunter2"`,
		"\x1b[31m",
		`{}`,
	}
	var list []Row
	for i, m := range messages {
		r := Read(lines.Line{Number: i + 1, Data: []byte(m)})
		r.Time, r.Direction = clock.Add(time.Duration(i)*time.Second), []string{"in", "out", ""}[i%3]
		list = append(list, r)
	}
	list[2].Time = time.Time{}
	return list
}

func TestPrinter(t *testing.T) {
	var plain, coloured strings.Builder
	for colour, b := range map[bool]*strings.Builder{false: &plain, true: &coloured} {
		p := NewPrinter(b, colour)
		for _, r := range rows() {
			if err := p.Print(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	testkit.Golden(t, "plain.txt", plain.String())
	testkit.Golden(t, "colour.txt", coloured.String())
	if strings.Contains(plain.String(), "hunter2") {
		t.Error("a value is in the table")
	}
	if strings.ContainsFunc(plain.String(), func(r rune) bool { return r < ' ' && r != '\n' }) {
		t.Error("a control character is in the table")
	}
	for _, shade := range []string{dim, red, cyan, green, normal} {
		coloured := coloured.String()
		if !strings.Contains(coloured, shade) {
			t.Errorf("colour %q is not used", shade)
		}
	}
	strip := strings.NewReplacer(dim, "", red, "", cyan, "", green, "", normal, "")
	if got := strip.Replace(coloured.String()); got != plain.String() {
		t.Error("the text with colour is another one")
	}
}

// oneWrite fails the test when a row comes in pieces, which others' output could come between.
type oneWrite struct{ writes []string }

func (w *oneWrite) Write(p []byte) (int, error) {
	w.writes = append(w.writes, string(p))
	return len(p), nil
}

func TestARowIsOneWrite(t *testing.T) {
	w := &oneWrite{}
	p := NewPrinter(w, true)
	list := rows()
	for _, r := range list {
		if err := p.Print(r); err != nil {
			t.Fatal(err)
		}
	}
	if len(w.writes) != len(list) {
		t.Fatalf("%d writes for %d rows", len(w.writes), len(list))
	}
	for i, text := range w.writes {
		if !strings.HasSuffix(text, "\n") {
			t.Errorf("write %d is not whole lines: %q", i, text)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestPrinterReportsTheWritersError(t *testing.T) {
	if err := NewPrinter(full{}, false).Print(rowOf(`{}`)); err == nil || err.Error() != "disk full" {
		t.Errorf("error %v", err)
	}
}

func TestTotals(t *testing.T) {
	var got Totals
	for _, r := range rows() {
		got.Add(r)
	}
	if got.Messages != 7 || got.Refused != 2 || got.Faulty != 2 {
		t.Errorf("%d messages, %d refused, %d with problems", got.Messages, got.Refused, got.Faulty)
	}
	if diff := cmp.Diff([]console.Count{{Name: "tool_call", N: 1}, {Name: "x-vendor.acme.progress", N: 1}}, got.Kinds.Sorted()); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
	if got := len(got.Types.Sorted()); got != 5 {
		t.Errorf("%d types", got)
	}
	if got := len(got.Names.Sorted()); got != 2+2+1+20 {
		t.Errorf("%d names of extensions", got)
	}
}
