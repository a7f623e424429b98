package envelope_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arcp-go/arcp/envelope"
)

// plain is a message with every core field and two extensions, without white space.
const plain = `{"arcp":"1.1","id":"msg_1","type":"job.event","session_id":"sess_1","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736",` +
	`"job_id":"job_1","event_seq":7,"payload":{"kind":"log","body":{"n":1.0}},"x-vendor.acme.priority":"high","timestamp":"2026-05-13T19:42:13.1234567+00:00"}`

// spaced has the same fields in another order, with white space wherever JSON allows it and names written with escapes.
const spaced = " \n{ \"payload\" : { \"a\" : [ 1 , 2 ] }\t,\r\n  \"ty\\u0070e\":\t\"job.event\" ,\"x-vendor.acme.\\u0070riority\" : \"h\\u0069gh\" , " +
	"\"event_seq\" : 7 , \"trace_id\":null,\"id\" : \"\" , \"session_id\" : \"s\\u0031\" \n} \r\n\t"

func seq(n uint64) *uint64 { return &n }

func raw(text string) json.RawMessage { return json.RawMessage(text) }

func decode(t testing.TB, text string) *envelope.Envelope {
	t.Helper()
	e, err := envelope.Decode([]byte(text))
	if err != nil {
		t.Fatalf("Decode(%q): %v", text, err)
	}
	return e
}

func encode(t testing.TB, e *envelope.Envelope) string {
	t.Helper()
	out, err := e.AppendJSON(nil)
	if err != nil {
		t.Fatalf("AppendJSON: %v", err)
	}
	return string(out)
}

// fault gives err as an *Error, which every refusal of a message must be.
func fault(t testing.TB, err error) *envelope.Error {
	t.Helper()
	f, ok := errors.AsType[*envelope.Error](err)
	if !ok {
		t.Fatalf("error %v (%T), want an *Error", err, err)
	}
	return f
}

// recordings gives every recorded message.
func recordings(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("../testdata/recordings/*.ndjson")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	var messages []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")...)
	}
	return messages
}

// unchanged is a dst with something in it, and checks that a failed call gave it back as it was.
type unchanged struct{ dst []byte }

const already = "already here"

func newUnchanged() unchanged {
	return unchanged{append(make([]byte, 0, 4096), already...)}
}

func (u unchanged) check(t testing.TB, got []byte) {
	t.Helper()
	if string(got) != already || string(u.dst) != already {
		t.Errorf("dst came back as %q, want %q", got, already)
	}
}

// appended checks that a call kept what dst had, and gives what it added.
func appended(t testing.TB, got []byte) string {
	t.Helper()
	rest, ok := bytes.CutPrefix(got, []byte(already))
	if !ok {
		t.Fatalf("the start of dst is gone: %q", got)
	}
	return string(rest)
}
