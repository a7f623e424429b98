package envelope_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/arcp-go/arcp/envelope"
)

// small is a message of usual size with three extensions.
const small = `{"arcp":"1.1","id":"msg_01JV5Y7Q8K3M2N4P6R8T0V2X4Z","type":"job.event","session_id":"sess_01JV5Y7Q8K3M2N4P6R8T0V2X4Z",` +
	`"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","job_id":"job_01JV5Y7Q8K3M2N4P6R8T0V2X4Z","event_seq":42,` +
	`"payload":{"kind":"progress","ts":"2026-05-13T19:42:13.123Z","body":{"current":3,"total":10,"message":"indexing"}},` +
	`"x-vendor.acme.priority":"high","x-vendor.acme.budget":{"currency":"USD","limit":12.5},` +
	`"x-vendor.opentelemetry.tracecontext":{"traceparent":"` + parent + `"}}`

func TestAllocations(t *testing.T) {
	escapedNames := strings.ReplaceAll(fields(1000), `"n`, `"\u006e`)
	one := `"` + strings.Repeat(`\n`, 3000) + `"`
	rows := []struct {
		rule  string
		input string
		most  float64
		run   func(data, room []byte) error
	}{
		{"Decode and AppendJSON", small, 5, func(data, _ []byte) error {
			e, err := envelope.Decode(data)
			if err == nil {
				_, err = e.AppendJSON(nil)
			}
			return err
		}},
		{"Decode and AppendJSON into a buffer with room", small, 4, func(data, room []byte) error {
			e, err := envelope.Decode(data)
			if err == nil {
				_, err = e.AppendJSON(room)
			}
			return err
		}},
		{"Peek", small, 0, peek},
		{"Peek at 16 fields", fields(16), 0, peek},
		{"Peek at 17 fields", fields(17), 0, peek},
		{"Peek at 1,000 fields", fields(1000), 0, peek},
		{"Peek at 1,024 fields", fields(1024), 0, peek},
		{"Peek at 1,000 fields with escaped names", escapedNames, 0, peek},
		{"Peek at core fields with escaped names", strings.ReplaceAll(small, `"i`, `"\u0069`), 0, peek},
		{"Peek at depth 900", nested(900), 0, peek},
		{"Peek at depth 1,000", nested(1000), 0, peek},
		{"Peek at an extension of escapes", `{"x":` + one + `}`, 0, peek},
		{"Peek at a long name of escapes", `{` + one + `:1}`, 0, peek},
		{"Peek at two core strings that hold an escape", `{"id":` + one + `,"type":"\u0061","job_id":"plain"}`, 2, peek},
		{"AppendSet of a new field", small, 0, appendSet("x-vendor.acme.new", `"high"`)},
		{"AppendSet of a field that is there", small, 0, appendSet("x-vendor.acme.priority", `{"a":[1]}`)},
		{"AppendSet of a core field", small, 0, appendSet("type", `"job.result"`)},
		{"AppendSet of a core field with an escape", small, 0, appendSet("type", `"job\u002eresult"`)},
		{"AppendSet of a name that needs an escape", small, 0, appendSet("a\n\"", `1`)},
		{"AppendSet among 1,000 fields", fields(1000), 0, appendSet("n999", `1`)},
		{"AppendSet among 1,000 fields with escaped names", escapedNames, 0, appendSet("n998", `1`)},
		{"AppendSet at depth 900", nested(900), 0, appendSet("y", nested(900))},
		{"AppendDelete", small, 0, appendDelete("x-vendor.acme.budget")},
		{"AppendDelete of an absent field", small, 0, appendDelete("absent")},
		{"AppendDelete among 1,000 fields", fields(1000), 0, appendDelete("n500")},
		{"AppendDelete of an escaped name among 1,000", escapedNames, 0, appendDelete("n500")},
	}
	for _, row := range rows {
		data, room := []byte(row.input), make([]byte, 0, len(row.input)+16<<10)
		if err := row.run(data, room); err != nil {
			t.Fatalf("%s: %v", row.rule, err)
		}
		got := testing.AllocsPerRun(50, func() { _ = row.run(data, room) })
		if got > row.most {
			t.Errorf("%s: %v allocations, want at most %v", row.rule, got, row.most)
		}
	}
}

func peek(data, _ []byte) error { _, err := envelope.Peek(data); return err }

func appendSet(name, value string) func(data, room []byte) error {
	raw := []byte(value)
	return func(data, room []byte) error { _, err := envelope.AppendSet(room, data, name, raw); return err }
}

func appendDelete(name string) func(data, room []byte) error {
	return func(data, room []byte) error { _, err := envelope.AppendDelete(room, data, name); return err }
}

// TestBytesAllocated keeps what a message costs in memory near its size.
func TestBytesAllocated(t *testing.T) {
	large := `{"id":"i","payload":"` + strings.Repeat("a", 1<<20) + `"}`
	rows := []struct {
		rule  string
		input string
		most  int64
	}{
		{"small", small, 2600},
		{"large", large, int64(len(large)) + 40_000},
		{"1,000 fields", fields(1000), int64(len(fields(1000))) + 1000*200},
	}
	for _, row := range rows {
		data := []byte(row.input)
		const runs = 20
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range runs {
			e, err := envelope.Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.AppendJSON(nil); err != nil {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		if got := int64(after.TotalAlloc-before.TotalAlloc) / runs; got == 0 || got > row.most {
			t.Errorf("%s: %d bytes for a message of %d, want at most %d", row.rule, got, len(data), row.most)
		}
	}
}

// TestHeaderTextsAreNotLost guards the rows above: what they call reads everything.
func TestHeaderTextsAreNotLost(t *testing.T) {
	h, err := envelope.Peek([]byte(strings.ReplaceAll(small, `"i`, `"\u0069`)))
	if err != nil || fmt.Sprintf("%s %s %d", h.ID, h.Type, h.EventSeq) != "msg_01JV5Y7Q8K3M2N4P6R8T0V2X4Z job.event 42" {
		t.Errorf("%v, %v", h, err)
	}
}
