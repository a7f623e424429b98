package bench

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
)

// Names that the messages and the kinds of work share.
const (
	// ExistingField is an extension that every message but the session has;
	// its value is ExistingValue.
	ExistingField = "x-vendor.acme.priority"
	ExistingValue = "high"
	// ChangedValue is the JSON text that Change writes over ExistingValue.
	ChangedValue = `"low"`
	// AddedField is an extension that no message has; Add gives it
	// AddedValue, a JSON text.
	AddedField = "x-vendor.acme.hop"
	AddedValue = `{"proxy":"edge-7","seen":3}`
)

// Message is the input of one operation: one envelope, or the envelopes of
// a session one after the other.
type Message struct {
	Size   string   // the name in benchmark names: small, medium, …
	About  string   // what it is, for the report
	Frames [][]byte // the envelopes, each one JSON text
}

// Bytes is the length of all frames together.
func (m Message) Bytes() int {
	n := 0
	for _, f := range m.Frames {
		n += len(f)
	}
	return n
}

//go:embed testdata/session.ndjson
var recorded []byte

// header is the beginning that all made-up messages share, up to the
// payload's value.
const header = `{"arcp":"1.1","id":"msg_01JV9Z7K3M8Q2W4X6Y0ABCDEFG","type":"job.event",` +
	`"session_id":"sess_01JV9Z6T0R5N7P9Q1S3","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736",` +
	`"job_id":"job_01JV9Z6W2E4R6T8Y0","event_seq":42,"payload":`

// priority is the extension that Change and Read look for.
const priority = `,"` + ExistingField + `":"` + ExistingValue + `"`

// Messages returns every input, smallest first. The bytes are made anew on
// every call and are the same every time.
func Messages() []Message {
	return []Message{
		{"small", "a log event, three extensions", [][]byte{small()}},
		{"medium", "a tool result, nested payload", [][]byte{medium()}},
		{"large", "a result chunk, one 1 MB string without escapes", [][]byte{large()}},
		{"prose", "a result chunk, one 1 MB string of text with line breaks, quotes and umlauts", [][]byte{prose()}},
		{"session", "a recorded session of 16 messages", session()},
		{"wide", "1,000 extensions", [][]byte{Wide(1000)}},
		{"deep", "a payload nested to depth 900", [][]byte{Deep(900)}},
	}
}

func small() []byte {
	return []byte(header +
		`{"kind":"log","ts":"2026-05-13T19:42:13.123Z","body":{"level":"info","message":"step 3 of 7: a < b"}}` + priority +
		`,"x-vendor.acme.billing":{"tenant":"t-204","rate":1.0}` +
		`,"x-vendor.opentelemetry.tracecontext":{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}`)
}

// medium is a search result as an agent's tool would return it: records of
// mixed types, short strings, text with escapes and with letters beyond ASCII.
func medium() []byte {
	var b bytes.Buffer
	b.WriteString(header)
	b.WriteString(`{"kind":"tool_result","ts":"2026-05-13T19:42:13.123Z","body":{"call_id":"call_17","result":{"query":"func decode","total":1843,"took_ms":12.75,"truncated":true,"hits":[`)
	for i := range 15 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"path":"internal/store/shard_%02d.go","line":%d,"score":%.4f,"owner":null,"exact":%t,`+
			`"tags":["go","store","shard-%d"],"span":{"from":{"line":%d,"col":%d},"to":{"line":%d,"col":80}},`+
			`"snippet":"\tif err != nil {\n\t\treturn fmt.Errorf(\"Größe %d: %%w\", err)\n\t}"}`,
			i, 37*i+11, 1/(float64(i)+1.5), i%3 == 0, i, 37*i+11, i, 37*i+14, i)
	}
	b.WriteString(`]}}}` + priority + `,"x-vendor.opentelemetry.tracecontext":{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}`)
	return b.Bytes()
}

// large carries one string of 1 MB in which nothing is escaped, as encoded
// binary data has.
func large() []byte {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	data := make([]byte, 1<<20)
	state := uint32(1)
	for i := range data {
		state = state*1664525 + 1013904223
		data[i] = digits[state>>26]
	}
	return chunk(string(data))
}

// prose carries one string of 1 MB of the text that models write.
func prose() []byte {
	const line = `The worker said \"done\" after step %d; see the größte Datei in the log.\n`
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, line, i)
	}
	return chunk(b.String())
}

func chunk(data string) []byte {
	return []byte(header + `{"kind":"result_chunk","ts":"2026-05-13T19:42:13.123Z","body":{"result_id":"res_1","chunk_seq":0,"encoding":"base64","more":false,"data":"` +
		data + `"}}` + priority + `}`)
}

func session() [][]byte {
	return bytes.Split(bytes.TrimSpace(recorded), []byte("\n"))
}

// Wide returns an envelope with n extensions of distinct names, n at least 1.
func Wide(n int) []byte {
	var b bytes.Buffer
	b.WriteString(header + `{"kind":"status","body":{"phase":"running"}}` + priority)
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, `,"x-vendor.acme.field_%d":%d`, i, i)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// Deep returns an envelope nested to the given depth, where the envelope
// itself is depth 1; depth is at least 2.
func Deep(depth int) []byte {
	n := depth - 1
	return []byte(header + strings.Repeat("[", n) + strings.Repeat("]", n) + priority + `}`)
}

// Long returns an envelope of n bytes whose payload is an array of short
// records; n is rounded down to whole records and is never less than the
// envelope around them.
func Long(n int) []byte {
	const record = `{"id":1234,"name":"unit","ok":true},`
	rest := "0]" + priority + "}"
	b := append(make([]byte, 0, n), header+"["...)
	for len(b)+len(record)+len(rest) <= n {
		b = append(b, record...)
	}
	return append(b, rest...)
}

// MixedStream returns the lines that Stream reads: a recorded session, short
// events and some longer messages in turn, each ended by a line feed.
func MixedStream() []byte {
	s, m := small(), medium()
	var b bytes.Buffer
	for i := range 8 {
		for _, f := range session() {
			b.Write(f)
			b.WriteByte('\n')
			b.Write(s)
			b.WriteByte('\n')
		}
		b.Write(m)
		b.WriteByte('\n')
		if i == 4 {
			b.Write(Long(64 << 10))
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}
