package event_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/event"
)

type fields = map[string]json.RawMessage

var onlyFields = cmpopts.IgnoreUnexported(event.Event{})

var decodeTests = []struct {
	rule, text string
	want       event.Event
}{
	{"the protocol's form", `{"kind":"log","ts":"2026-05-13T19:42:13Z","body":{"level":"info"}}`,
		event.Event{Kind: "log", TS: "2026-05-13T19:42:13Z", Body: json.RawMessage(`{"level":"info"}`)}},
	{"nothing", `{}`, event.Event{}},
	{"any order, white space and escapes", " {\n\"body\" : [ 1.0 ] ,\t\"\\u0074s\":\"\\u0041\",\"kind\":\"x-vendor.acme.\\u00e9\" }\r\n",
		event.Event{Kind: "x-vendor.acme.é", TS: "A", Body: json.RawMessage(`[ 1.0 ]`)}},
	{"unknown fields are kept", `{"kind":"log","seq":90071992547409931,"":"\ud83d","KIND":"Log"}`,
		event.Event{Kind: "log", Extra: fields{"seq": json.RawMessage("90071992547409931"), "": json.RawMessage(`"\ud83d"`), "KIND": json.RawMessage(`"Log"`)}}},
	{"null is an absent kind or ts, and a body", `{"kind":null,"ts":null,"body":null}`, event.Event{Body: json.RawMessage("null")}},
	{"empty strings", `{"kind":"","ts":""}`, event.Event{}},
	{"any kind", `{"kind":"\u0000 no kind"}`, event.Event{Kind: "\x00 no kind"}},
	{"a name twice deep in the body is not judged", `{"body":{"a":1,"a":2}}`, event.Event{Body: json.RawMessage(`{"a":1,"a":2}`)}},
	{"half of a surrogate pair in the body is carried", `{"body":"\ud83d"}`, event.Event{Body: json.RawMessage(`"\ud83d"`)}},
	{"nesting deeper than a message may be by default", `{"body":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`,
		event.Event{Body: json.RawMessage(strings.Repeat("[", 2000) + strings.Repeat("]", 2000))}},
}

func TestDecode(t *testing.T) {
	for _, test := range decodeTests {
		t.Run(test.rule, func(t *testing.T) {
			got, err := event.Decode([]byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, onlyFields); diff != "" {
				t.Errorf("event differs (-want +got):\n%s", diff)
			}
			if text, err := got.AppendJSON([]byte("before")); err != nil || string(text) != "before"+test.text {
				t.Errorf("untouched, it is encoded as %q, %v, want %q", text, err, test.text)
			}
			var fromJSON event.Event
			data := []byte(test.text)
			if err := fromJSON.UnmarshalJSON(data); err != nil {
				t.Fatal(err)
			}
			clear(data)
			if diff := cmp.Diff(test.want, fromJSON, onlyFields); diff != "" {
				t.Errorf("UnmarshalJSON differs, or shares data (-want +got):\n%s", diff)
			}
		})
	}
}

var badEvents = []struct {
	rule, text, field string
	offset            int
	is                error
	message           string
}{
	{"empty", ``, "", 0, envelope.ErrSyntax, "arcp: event: byte 0: unexpected end of input, want a JSON object"},
	{"null", `null`, "", 0, envelope.ErrSyntax, "arcp: event: byte 0: want a JSON object"},
	{"an array", `[]`, "", 0, envelope.ErrSyntax, "arcp: event: byte 0: want a JSON object"},
	{"two objects", `{}{}`, "", 2, envelope.ErrSyntax, "arcp: event: byte 2: want nothing after the object"},
	{"kind is a number", `{"kind":7391}`, "kind", 8, envelope.ErrType, `arcp: event: field "kind": byte 8: want a string, got a number`},
	{"kind is an object", `{"kind":{"secret":1}}`, "kind", 8, envelope.ErrType, `arcp: event: field "kind": byte 8: want a string, got an object`},
	{"ts is a number", `{"ts": 1747165333}`, "ts", 7, envelope.ErrType, `arcp: event: field "ts": byte 7: want a string, got a number`},
	{"ts is false, its name escaped", `{"t\u0073":false}`, "ts", 11, envelope.ErrType, `arcp: event: field "ts": byte 11: want a string, got a boolean`},
	{"half of a surrogate pair in kind", `{"kind":"a\ud83d"}`, "kind", 8, envelope.ErrType,
		`arcp: event: field "kind": byte 8: the string holds half of a surrogate pair, which no text can represent`},
	{"kind twice", `{"kind":"log","kind":"log"}`, "kind", 14, envelope.ErrDuplicate, `arcp: event: field "kind": byte 14: the name is there twice`},
	{"body twice, once escaped", `{"body":1,"bod\u0079":2}`, "body", 10, envelope.ErrDuplicate, `arcp: event: field "body": byte 10: the name is there twice`},
	{"an unknown field twice", `{"a":1,"b":2,"a":3}`, "a", 13, envelope.ErrDuplicate, `arcp: event: field "a": byte 13: the name is there twice`},
	{"invalid UTF-8", "{\"kind\":\"\xff\"}", "kind", 9, envelope.ErrSyntax, `arcp: event: field "kind": byte 9: invalid UTF-8 in a string`},
}

func TestDecodeRefuses(t *testing.T) {
	for _, test := range badEvents {
		t.Run(test.rule, func(t *testing.T) {
			e, err := event.Decode([]byte(test.text))
			var fault *event.Error
			if !errors.As(err, &fault) || fault.Field != test.field || fault.Offset != test.offset || fault.Kind != "" || fault.Code() != "INVALID_REQUEST" {
				t.Fatalf("Decode gave %#v", err)
			}
			if !errors.Is(err, test.is) || err.Error() != test.message {
				t.Errorf("error is %v, want %s (%v)", err, test.message, test.is)
			}
			if diff := cmp.Diff(event.Event{}, e, onlyFields); diff != "" {
				t.Errorf("a failed Decode gave something:\n%s", diff)
			}
			kept := event.Event{Kind: "kept", Extra: fields{"a": json.RawMessage("1")}}
			if err := kept.UnmarshalJSON([]byte(test.text)); err == nil || kept.Kind != "kept" || len(kept.Extra) != 1 {
				t.Errorf("a failed UnmarshalJSON gave %v and left %v", err, kept)
			}
		})
	}
}

func TestUnmarshalLeavesNothingBehind(t *testing.T) {
	e := event.Event{Kind: "a", TS: "b", Body: json.RawMessage("1"), Extra: fields{"c": json.RawMessage("2")}}
	if err := json.Unmarshal([]byte(`{"kind":"log"}`), &e); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(event.Event{Kind: "log"}, e, onlyFields); diff != "" {
		t.Errorf("something is left (-want +got):\n%s", diff)
	}
}

func TestFromEnvelope(t *testing.T) {
	for _, test := range []struct {
		rule string
		env  *envelope.Envelope
		want string // the error
	}{
		{"nil", nil, "arcp: event: the Envelope is nil"},
		{"another type", &envelope.Envelope{Type: "job.result", Payload: json.RawMessage(`{"kind":"log"}`)}, "arcp: event: want a message of type job.event, got another"},
		{"the type in another case", &envelope.Envelope{Type: "Job.Event", Payload: json.RawMessage(`{"kind":"log"}`)}, "arcp: event: want a message of type job.event, got another"},
		{"no payload", &envelope.Envelope{Type: "job.event"}, "arcp: event: the message has no payload"},
		{"null payload", &envelope.Envelope{Type: "job.event", Payload: json.RawMessage("null")}, "arcp: event: byte 0: want a JSON object"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			if _, err := event.FromEnvelope(test.env); err == nil || err.Error() != test.want {
				t.Errorf("FromEnvelope gave %v, want %s", err, test.want)
			}
		})
	}
	e, err := event.FromEnvelope(&envelope.Envelope{Type: event.MessageType, Payload: json.RawMessage(`{"kind":"log"}`)})
	if err != nil || e.Kind != "log" {
		t.Errorf("FromEnvelope gave %v, %v", e, err)
	}
}

func TestEdits(t *testing.T) {
	const text = `{ "body": {"a":1.0} , "kind":"lo\u0067", "x":[ ], "ts":null }`
	for _, test := range []struct {
		rule string
		edit func(*event.Event)
		want string
	}{
		{"nothing", func(*event.Event) {}, text},
		{"the same values again", func(e *event.Event) {
			e.Kind, e.Body, e.Extra = "log", json.RawMessage(`{"a":1.0}`), fields{"x": json.RawMessage("[ ]")}
		}, text},
		{"a kind, in place", func(e *event.Event) { e.Kind = "<é\n>" }, `{ "body": {"a":1.0} , "kind":"<é\n>", "x":[ ], "ts":null }`},
		{"no kind", func(e *event.Event) { e.Kind = "" }, `{ "body": {"a":1.0} , "x":[ ], "ts":null }`},
		{"a time where null was", func(e *event.Event) { e.TS = "t" }, `{ "body": {"a":1.0} , "kind":"lo\u0067", "x":[ ], "ts":"t" }`},
		{"another body", func(e *event.Event) { e.Body = json.RawMessage(" 2\n") }, `{ "body": 2 , "kind":"lo\u0067", "x":[ ], "ts":null }`},
		{"no body", func(e *event.Event) { e.Body = nil }, `{  "kind":"lo\u0067", "x":[ ], "ts":null }`},
		{"no other fields", func(e *event.Event) { e.Extra = nil }, `{ "body": {"a":1.0} , "kind":"lo\u0067", "ts":null }`},
		{"new fields, sorted", func(e *event.Event) {
			e.Extra = fields{"z": json.RawMessage("1"), "a\"": json.RawMessage("2"), "x": e.Extra["x"]}
		}, `{ "body": {"a":1.0} , "kind":"lo\u0067", "x":[ ], "ts":null ,"a\"":2,"z":1}`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			first, err := event.Decode([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			e := first // the edit of a copy must not show in the original
			test.edit(&e)
			if got, err := e.AppendJSON(nil); err != nil || string(got) != test.want {
				t.Errorf("edited: %s, %v\nwant    %s", got, err, test.want)
			}
			if got, err := first.AppendJSON(nil); err != nil || string(got) != text {
				t.Errorf("the original: %s, %v\nwant          %s", got, err, text)
			}
			e.Kind, e.TS, e.Body, e.Extra = first.Kind, first.TS, first.Body, first.Extra
			if got, err := e.AppendJSON(nil); err != nil || string(got) != text {
				t.Errorf("undone: %s, %v\nwant    %s", got, err, text)
			}
		})
	}
}

func TestInMemory(t *testing.T) {
	for _, test := range []struct {
		rule  string
		event event.Event
		want  string
	}{
		{"nothing", event.Event{}, `{}`},
		{"in the protocol's order", event.Event{Kind: "log", TS: "t", Body: json.RawMessage(" null "), Extra: fields{"b": json.RawMessage("1"), "a": json.RawMessage("2")}},
			`{"kind":"log","ts":"t","body":null,"a":2,"b":1}`},
		{"without HTML escaping", event.Event{Kind: "<&>\u2028"}, "{\"kind\":\"<&>\u2028\"}"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			if got, err := test.event.AppendJSON(nil); err != nil || string(got) != test.want {
				t.Errorf("encoded as %s, %v, want %s", got, err, test.want)
			}
		})
	}
}

func TestEncodingRefuses(t *testing.T) {
	for _, test := range []struct {
		rule  string
		event event.Event
		want  string
	}{
		{"a kind that is not UTF-8", event.Event{Kind: "\xff"}, `arcp: event: field "kind": the string is not valid UTF-8`},
		{"a body that is not JSON", event.Event{Body: json.RawMessage("{secret")}, `arcp: event: field "body": byte 1 of the value: want a field name in double quotes`},
		{"an empty body", event.Event{Body: json.RawMessage{}}, `arcp: event: field "body": the value is empty, want a JSON value`},
		{"a nil value in Extra", event.Event{Extra: fields{"a": nil}}, `arcp: event: field "a": the value is empty, want a JSON value`},
		{"a field of its own in Extra", event.Event{Extra: fields{"kind": json.RawMessage(`"x"`)}}, `arcp: event: field "kind": it is a field of its own and may not stand among the others`},
		{"a name that is not UTF-8", event.Event{Extra: fields{"\xff": json.RawMessage("1")}}, `arcp: event: field "\xff": the name is not valid UTF-8`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			got, err := test.event.AppendJSON([]byte("before"))
			if err == nil || err.Error() != test.want || string(got) != "before" {
				t.Errorf("AppendJSON gave %q, %v\nwant %s", got, err, test.want)
			}
		})
	}
}

func TestNew(t *testing.T) {
	for _, test := range []struct {
		rule, kind string
		body       any
		want       string // the body; empty: absent
	}{
		{"a typed body", event.KindLog, event.Log{Level: "info", Message: "<done>"}, `{"level":"info","message":"<done>"}`},
		{"a pointer to a typed body", event.KindThought, &event.Thought{Text: "?"}, `{"text":"?"}`},
		{"a raw body as it is", event.KindToolCall, json.RawMessage(` { "a" : 1.0 } `), `{ "a" : 1.0 }`},
		{"any other value", "x-vendor.acme.thumbnail", map[string]string{"url": "a?b&c"}, `{"url":"a?b&c"}`},
		{"no body", "x-vendor.acme.ping", nil, ``},
		{"a nil pointer is null", "x-vendor.acme.ping", (*event.Log)(nil), `null`},
		{"a vendor's kind outside the grammar of field names", "x-vendor.ACME", 1, `1`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			before := time.Now()
			e, err := event.New(test.kind, test.body)
			if err != nil {
				t.Fatal(err)
			}
			if e.Kind != test.kind || string(e.Body) != test.want || (e.Body == nil) != (test.want == "") {
				t.Errorf("New gave the kind %q and the body %s", e.Kind, e.Body)
			}
			at, err := e.Time()
			if err != nil || at.Before(before.Add(-time.Microsecond)) || at.After(time.Now()) || !strings.HasSuffix(e.TS, "Z") {
				t.Errorf("the time is %q, %v", e.TS, err)
			}
		})
	}
	for _, test := range []struct {
		rule, kind string
		body       any
		want       string
	}{
		{"a slip of the pen", "progres", nil, `arcp: event: field "kind": want a kind of the protocol or one that starts with x-vendor.`},
		{"no kind", "", nil, `arcp: event: field "kind": want a kind of the protocol or one that starts with x-vendor.`},
		{"the prefix alone", "x-vendor.", nil, `arcp: event: field "kind": want a kind of the protocol or one that starts with x-vendor.`},
		{"a body that is not JSON", "log", json.RawMessage("{secret"), `arcp: event body of kind "log": byte 1 of the value: want a field name in double quotes`},
		{"a typed body that is none", "progress", event.Progress{Current: "secret"}, `arcp: event body of kind "progress": field "current": the text is not a JSON number`},
		{"a type that JSON has not", "x-vendor.acme.x", make(chan int), `arcp: event body of kind "x-vendor.acme.x": the value cannot be encoded as JSON`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			if _, err := event.New(test.kind, test.body); err == nil || err.Error() != test.want {
				t.Errorf("New gave %v, want %s", err, test.want)
			}
		})
	}
}

func TestTime(t *testing.T) {
	for _, test := range []struct {
		rule, ts string
		want     time.Time
	}{
		{"whole seconds", "2026-05-13T19:42:13Z", time.Date(2026, 5, 13, 19, 42, 13, 0, time.UTC)},
		{"JavaScript's three digits", "2026-11-30T20:05:31.818Z", time.Date(2026, 11, 30, 20, 5, 31, 818e6, time.UTC)},
		{"C#'s seven digits", "2026-05-13T19:42:13.1234567+00:00", time.Date(2026, 5, 13, 19, 42, 13, 123456700, time.UTC)},
		{"Go's nine digits", "2026-11-30T20:01:19.763978492Z", time.Date(2026, 11, 30, 20, 1, 19, 763978492, time.UTC)},
		{"twelve digits", "2026-11-30T20:01:19.763978492999Z", time.Date(2026, 11, 30, 20, 1, 19, 763978492, time.UTC)},
		{"another zone", "2026-05-13T21:42:13+02:00", time.Date(2026, 5, 13, 19, 42, 13, 0, time.UTC)},
		{"absent", "", time.Time{}},
		{"a date", "2026-05-13", time.Time{}},
		{"no zone", "2026-05-13T19:42:13", time.Time{}},
		{"no such day", "2026-02-30T19:42:13Z", time.Time{}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			got, err := event.Event{TS: test.ts}.Time()
			if !got.Equal(test.want) || (err == nil) == test.want.IsZero() {
				t.Errorf("Time of %q is %v, %v", test.ts, got, err)
			}
			if err != nil && err.Error() != `arcp: event: field "ts": want a time as in RFC 3339, like 2026-05-13T19:42:13Z` {
				t.Errorf("error is %v", err)
			}
		})
	}
}

func TestGet(t *testing.T) {
	e := event.Event{Body: json.RawMessage(`{"a":{"b":[1,12345678901234567890]}}`)}
	if got := e.Get("a.b.1"); got.Raw != "12345678901234567890" {
		t.Errorf("Get gave %s", got.Raw)
	}
	if e.Get("a.c").Exists() || (event.Event{}).Get("a").Exists() {
		t.Error("Get found what is not there")
	}
}

func TestLogsShowNoSecret(t *testing.T) {
	e := event.Event{Kind: "log\n\u202e" + strings.Repeat("k", 100), TS: "t", Body: json.RawMessage(`"secret"`), Extra: fields{"secret": json.RawMessage(`"secret"`)}}
	var b strings.Builder
	fmt.Fprintf(&b, "%v %+v %#v %s", e, e, &e, e)
	slog.New(slog.NewJSONHandler(&b, nil)).Info("event", "event", e)
	if strings.Contains(b.String(), "secret") {
		t.Errorf("a log shows %s", b.String())
	}
	want := `event{kind="log\n\u202e` + strings.Repeat("k", 57) + `\u2026 (107 bytes)" ts="t" body_bytes=8 extra=1}`
	if got := e.String(); got != want {
		t.Errorf("String is %s\nwant      %s", got, want)
	}
	if got := (event.Event{}).String(); got != "event{}" {
		t.Errorf("String of nothing is %s", got)
	}
}

// recorded gives the job events of the recorded sessions.
func recorded(t *testing.T) (events []*envelope.Envelope) {
	t.Helper()
	files, err := filepath.Glob("../testdata/recordings/*.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			env, err := envelope.Decode(bytes.Clone(lines.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			if env.Type == event.MessageType {
				events = append(events, env)
			}
		}
		if err := errors.Join(lines.Err(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if len(events) < 100 {
		t.Fatalf("only %d events are recorded", len(events))
	}
	return events
}

// Every recorded event is read, valid, and written back as it was, around its body and inside it.
func TestRecordedEvents(t *testing.T) {
	for _, env := range recorded(t) {
		e, err := event.FromEnvelope(env)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := e.AppendJSON(nil); err != nil || !bytes.Equal(got, env.Payload) {
			t.Errorf("event is written as %s, %v, was %s", got, err, env.Payload)
		}
		if _, err := e.Time(); err != nil {
			t.Error(err)
		}
		body, err := e.DecodeBody()
		if err != nil {
			t.Fatal(err)
		}
		switch body := body.(type) {
		case json.RawMessage:
			if !strings.HasPrefix(e.Kind, "x-vendor.") || !bytes.Equal(body, e.Body) {
				t.Errorf("the body of kind %q is %s", e.Kind, body)
			}
		case interface {
			json.Marshaler
			Validate() error
		}:
			if err := body.Validate(); err != nil {
				t.Error(err)
			}
			if got, err := body.MarshalJSON(); err != nil || !bytes.Equal(got, e.Body) {
				t.Errorf("body is written as %s, %v, was %s", got, err, e.Body)
			}
		default:
			t.Errorf("a body of kind %q is a %T", e.Kind, body)
		}
	}
}

// An event goes back into its message by one assignment.
func TestBackIntoTheEnvelope(t *testing.T) {
	const text = `{"arcp":"1.1", "type":"job.event","payload": {"kind":"progress","body":{"current":1.50,"eta":3}},"x-vendor.acme.a":1}`
	env, err := envelope.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	e, err := event.FromEnvelope(env)
	if err != nil {
		t.Fatal(err)
	}
	body, err := e.DecodeBody()
	if err != nil {
		t.Fatal(err)
	}
	progress := body.(event.Progress)
	progress.Message = "half"
	if err := e.SetBody(progress); err != nil {
		t.Fatal(err)
	}
	if env.Payload, err = e.AppendJSON(nil); err != nil {
		t.Fatal(err)
	}
	got, err := env.AppendJSON(nil)
	if want := strings.Replace(text, `"eta":3`, `"eta":3,"message":"half"`, 1); err != nil || string(got) != want {
		t.Errorf("the message is %s, %v\nwant           %s", got, err, want)
	}
}

func TestConcurrentReaders(t *testing.T) {
	const text = `{"kind":"progress","ts":"t","body":{"current":1},"x":1}`
	e, err := event.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			body, err := e.DecodeBody()
			if err != nil {
				t.Error(err)
				return
			}
			own := e
			own.Kind = "log"
			text1, err1 := e.AppendJSON(nil)
			text2, err2 := own.AppendJSON(nil)
			text3, err3 := body.(event.Progress).MarshalJSON()
			if string(text1) != text || string(text2) != strings.Replace(text, "progress", "log", 1) || string(text3) != `{"current":1}` || err1 != nil || err2 != nil || err3 != nil {
				t.Errorf("%s %s %s", text1, text2, text3)
			}
		})
	}
	wg.Wait()
}
