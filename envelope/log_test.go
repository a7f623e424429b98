package envelope_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/arcp-go/arcp/envelope"
)

func TestString(t *testing.T) {
	many := &envelope.Envelope{Extensions: map[string]json.RawMessage{}}
	for i := range 20 {
		many.Extensions[fmt.Sprintf("n%02d", i)] = raw(`1`)
	}
	rows := []struct {
		rule string
		e    *envelope.Envelope
		want string
	}{
		{"nothing", &envelope.Envelope{}, `envelope{}`},
		{"core fields, the payload's size, names sorted", decode(t, plain), `envelope{arcp="1.1" id="msg_1" type="job.event" session_id="sess_1" ` +
			`trace_id="4bf92f3577b34da6a3ce929d0e0e4736" job_id="job_1" event_seq=7 payload_bytes=31 extensions=["timestamp" "x-vendor.acme.priority"]}`},
		{"sequence number 0 and a payload of null", decode(t, `{"event_seq":0,"payload":null}`), `envelope{event_seq=0 payload_bytes=4}`},
		{"what a peer chose is escaped", decode(t, `{"id":"a\n\u001b[31m\u202e\"","x\n\u202e":1}`), `envelope{id="a\n\x1b[31m\u202e\"" extensions=["x\n\u202e"]}`},
		{"many names", many, `envelope{extensions=["n00" "n01" "n02" "n03" "n04" "n05" "n06" "n07" "n08" "n09" "n10" "n11" "n12" "n13" "n14" "n15" "and 4 more"]}`},
		{"a long id is cut", decode(t, `{"id":"`+strings.Repeat("é", 1000)+`"}`), `envelope{id="` + strings.Repeat("é", 32) + `… (2000 bytes)"}`},
	}
	for _, row := range rows {
		if got := row.e.String(); got != row.want {
			t.Errorf("%s:\n got %s\nwant %s", row.rule, got, row.want)
		}
	}
	h, err := envelope.Peek([]byte(plain))
	want := `envelope{arcp="1.1" id="msg_1" type="job.event" session_id="sess_1" trace_id="4bf92f3577b34da6a3ce929d0e0e4736" job_id="job_1" event_seq=7 payload_bytes=31}`
	if err != nil || h.String() != want {
		t.Errorf("the Header:\n got %s\nwant %s", h, want)
	}
}

// TestLogsNeverShowValues prints messages in every way that people print with.
func TestLogsNeverShowValues(t *testing.T) {
	const secret = "hunter2"
	e := decode(t, `{"id":"shown","payload":{"password":"`+secret+`"},"x-vendor.acme.token":"`+secret+`","`+strings.Repeat("long", 300)+`":"`+secret+`"}`)
	h, err := envelope.Peek([]byte(encode(t, e)))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		for kind, v := range map[string]any{"Envelope": *e, "*Envelope": e, "Header": h, "*Header": &h} {
			texts[kind+" "+verb] = fmt.Sprintf(verb, v)
		}
		texts["in a slice "+verb] = fmt.Sprintf(verb, []any{e, *e, h})
		texts["in a struct "+verb] = fmt.Sprintf(verb, struct {
			Message *envelope.Envelope
			Copy    envelope.Envelope
			Header  envelope.Header
		}{e, *e, h})
	}
	for name, text := range texts {
		if strings.Contains(text, secret) || !strings.Contains(text, "shown") {
			t.Errorf("%s: %s", name, text)
		}
	}
	for name, handler := range map[string]func(b *bytes.Buffer) slog.Handler{
		"text": func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
		"JSON": func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
	} {
		for kind, v := range map[string]any{"Envelope": *e, "*Envelope": e, "Header": h, "*Header": &h} {
			var b bytes.Buffer
			slog.New(handler(&b)).Info("m", "e", v)
			if text := b.String(); strings.Contains(text, secret) || !strings.Contains(text, "shown") || len(text) > 1000 {
				t.Errorf("slog, %s, %s: %s", name, kind, text)
			}
		}
	}
}

func TestLogValueIsAGroup(t *testing.T) {
	e := decode(t, plain)
	h, err := envelope.Peek([]byte(plain))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]any{}
	for _, attr := range e.LogValue().Group() {
		got[attr.Key] = attr.Value.Any()
	}
	if got["id"] != "msg_1" || got["event_seq"] != uint64(7) || got["payload_bytes"] != int64(31) || fmt.Sprint(got["extensions"]) != "[timestamp x-vendor.acme.priority]" || len(got) != 9 {
		t.Errorf("got %v", got)
	}
	if n := len(h.LogValue().Group()); n != 8 {
		t.Errorf("the Header has %d", n)
	}
	broken := envelope.Envelope{ID: "\xff", Extensions: map[string]json.RawMessage{"\xff": raw(`1`)}}
	if text := broken.String(); !utf8.ValidString(text) {
		t.Errorf("not UTF-8: %q", text)
	}
}
