package envelope_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/arcp-go/arcp/envelope"
)

// acceptance is one row of "what is decoded, and to what".
type acceptance struct {
	rule  string
	input string
	want  envelope.Envelope
}

var accepted = []acceptance{
	{"one object", `{}`, envelope.Envelope{}},
	{"white space around and inside", " \t\r\n{ \t\r\n} \t\r\n", envelope.Envelope{}},
	{"every core field", `{"arcp":"1.1","id":"i","type":"t","session_id":"s","trace_id":"tr","job_id":"j","event_seq":0,"payload":{}}`,
		envelope.Envelope{ARCP: "1.1", ID: "i", Type: "t", SessionID: "s", TraceID: "tr", JobID: "j", EventSeq: seq(0), Payload: raw(`{}`)}},
	{"core fields in any order", `{"payload":1,"event_seq":2,"job_id":"j","arcp":"9"}`,
		envelope.Envelope{ARCP: "9", JobID: "j", EventSeq: seq(2), Payload: raw(`1`)}},
	{"a core field's name with escapes", `{"ty\u0070e":"t","\u0061rcp":"1.1","\u0065vent_seq":3,"pay\u006coad":[]}`,
		envelope.Envelope{Type: "t", ARCP: "1.1", EventSeq: seq(3), Payload: raw(`[]`)}},
	{"escapes in a core string", `{"id":"\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00","type":"\u0000"}`,
		envelope.Envelope{ID: "\"\\/\b\f\n\r\tAé😀", Type: "\x00"}},
	{"text beyond ASCII", `{"id":"é‧😀` + "\u2028\u007f\ufffd\uffff" + `"}`, envelope.Envelope{ID: "é‧😀\u2028\u007f\ufffd\uffff"}},

	{"another letter case is another field", `{"TYPE":1,"Session_Id":2}`, ext("TYPE", `1`, "Session_Id", `2`)},
	{"folded letters are other fields", `{"ſession_id":"a","\u017fession_id2":"b","to\u212aen":3}`, ext("\u017fession_id", `"a"`, "\u017fession_id2", `"b"`, "to\u212aen", `3`)},
	{"fields of other libraries", `{"timestamp":"x","extensions":{"a":1}}`, ext("timestamp", `"x"`, "extensions", `{"a":1}`)},
	{"the empty name", `{"":0}`, ext("", `0`)},
	{"a name that only starts like a core field", `{"type\u0000":1,"type ":2," type":3}`, ext("type\x00", `1`, "type ", `2`, " type", `3`)},
	{"a reserved vendor name", `{"x-vendor.arcp.x":1}`, ext("x-vendor.arcp.x", `1`)},
	{"a malformed vendor name", `{"x-vendor.experimental":1,"x-vendor.":2}`, ext("x-vendor.experimental", `1`, "x-vendor.", `2`)},
	{"names that look the same", "{\"a\":1,\"A\":2,\"\u00e1\":3,\"a\u0301\":4}", ext("a", `1`, "A", `2`, "\u00e1", `3`, "a\u0301", `4`)},
	{"a name of path syntax", `{"a.b.#|@this":1,"\\":2}`, ext("a.b.#|@this", `1`, `\`, `2`)},

	{"event_seq at its ends", `{"event_seq":0}`, envelope.Envelope{EventSeq: seq(0)}},
	{"event_seq of 2^64-1", `{"event_seq":18446744073709551615}`, envelope.Envelope{EventSeq: seq(1<<64 - 1)}},

	{"null is absent", `{"arcp":null,"id":null,"type":null,"session_id":null,"trace_id":null,"job_id":null,"event_seq":null}`, envelope.Envelope{}},
	{"null in an extension is a value", `{"x":null}`, ext("x", `null`)},
	{"payload null", `{"payload":null}`, envelope.Envelope{Payload: raw(`null`)}},
	{"payload string", `{"payload" : "a\u0062" }`, envelope.Envelope{Payload: raw(`"a\u0062"`)}},
	{"payload number with its text", `{"payload":-1.0E+400}`, envelope.Envelope{Payload: raw(`-1.0E+400`)}},
	{"payload true, false", `{"payload":true,"x":false}`, envelope.Envelope{Payload: raw(`true`), Extensions: map[string]json.RawMessage{"x": raw(`false`)}}},
	{"payload with its white space", "{\"payload\":\n{ \"a\" :\t[ ] } }", envelope.Envelope{Payload: raw("{ \"a\" :\t[ ] }")}},
	{"payload with one name twice inside", `{"payload":{"a":1,"a":2}}`, envelope.Envelope{Payload: raw(`{"a":1,"a":2}`)}},
	{"payload with a core field's name inside", `{"type":"t","payload":{"type":1,"id":[]}}`, envelope.Envelope{Type: "t", Payload: raw(`{"type":1,"id":[]}`)}},
	{"one name twice inside an extension", `{"x":{"a":1,"\u0061":2}}`, ext("x", `{"a":1,"\u0061":2}`)},

	{"half a surrogate pair in the payload", `{"payload":"\ud83d"}`, envelope.Envelope{Payload: raw(`"\ud83d"`)}},
	{"half a surrogate pair deep in the payload", `{"payload":[{"\udc00\ud800":"\uDFFF\n"}]}`, envelope.Envelope{Payload: raw(`[{"\udc00\ud800":"\uDFFF\n"}]`)}},
	{"half a surrogate pair in an extension", `{"x":"cut \ud83d"}`, ext("x", `"cut \ud83d"`)},
}

func ext(pairs ...string) envelope.Envelope {
	e := envelope.Envelope{Extensions: map[string]json.RawMessage{}}
	for i := 0; i < len(pairs); i += 2 {
		e.Extensions[pairs[i]] = raw(pairs[i+1])
	}
	return e
}

func TestDecodeAccepts(t *testing.T) {
	for _, row := range accepted {
		t.Run(row.rule, func(t *testing.T) {
			e := decode(t, row.input)
			if !e.Equal(row.want) {
				t.Errorf("Decode(%s)\n got %#v\nwant %#v", row.input, fieldsOf(e), fieldsOf(&row.want))
			}
			if (e.Extensions == nil) != (len(row.want.Extensions) == 0) {
				t.Errorf("Extensions is %v, want nil where there is none", e.Extensions)
			}
			if got := encode(t, e); got != row.input {
				t.Errorf("AppendJSON gives %q, want the input", got)
			}
			var u envelope.Envelope
			if err := u.UnmarshalJSON([]byte(row.input)); err != nil || !u.Equal(row.want) {
				t.Errorf("UnmarshalJSON: %v, %v", u, err)
			}
			checkPeek(t, row.input, e)
		})
	}
}

// fieldsOf shows all that an Envelope has, for failures of tests.
func fieldsOf(e *envelope.Envelope) map[string]any {
	m := map[string]any{"arcp": e.ARCP, "id": e.ID, "type": e.Type, "session_id": e.SessionID, "trace_id": e.TraceID, "job_id": e.JobID,
		"payload": string(e.Payload), "payload is nil": e.Payload == nil}
	if e.EventSeq != nil {
		m["event_seq"] = *e.EventSeq
	}
	for name, value := range e.Extensions {
		m["ext "+name] = string(value)
	}
	return m
}

// checkPeek checks that Peek reads the same core fields as Decode did.
func checkPeek(t testing.TB, input string, e *envelope.Envelope) {
	t.Helper()
	h, err := envelope.Peek([]byte(input))
	if err != nil {
		t.Fatalf("Peek: %v", err)
	}
	checkHeader(t, h, e)
}

func checkHeader(t testing.TB, h envelope.Header, e *envelope.Envelope) {
	t.Helper()
	texts := []struct {
		name string
		got  []byte
		want string
	}{
		{"arcp", h.ARCP, e.ARCP}, {"id", h.ID, e.ID}, {"type", h.Type, e.Type},
		{"session_id", h.SessionID, e.SessionID}, {"trace_id", h.TraceID, e.TraceID}, {"job_id", h.JobID, e.JobID},
	}
	for _, text := range texts {
		if string(text.got) != text.want {
			t.Errorf("Header has %s %q, want %q", text.name, text.got, text.want)
		}
	}
	if h.HasEventSeq != (e.EventSeq != nil) || h.HasEventSeq && h.EventSeq != *e.EventSeq || !h.HasEventSeq && h.EventSeq != 0 {
		t.Errorf("Header has event_seq %v, %d", h.HasEventSeq, h.EventSeq)
	}
	if (h.Payload == nil) != (e.Payload == nil) || !bytes.Equal(h.Payload, e.Payload) {
		t.Errorf("Header has payload %q, want %q", h.Payload, e.Payload)
	}
}

// refusal is one row of "what is refused, and why".
type refusal struct {
	rule   string
	input  string
	err    error
	field  string
	offset int
	reason string // part of it
}

var refused = []refusal{
	{"nothing", ``, envelope.ErrSyntax, "", 0, "unexpected end"},
	{"white space only", " \n", envelope.ErrSyntax, "", 2, "unexpected end"},
	{"null", `null`, envelope.ErrSyntax, "", 0, "want a JSON object"},
	{"an array", ` [{}]`, envelope.ErrSyntax, "", 1, "want a JSON object"},
	{"a string", `"{}"`, envelope.ErrSyntax, "", 0, "want a JSON object"},
	{"a number", `1`, envelope.ErrSyntax, "", 0, "want a JSON object"},
	{"true", `true`, envelope.ErrSyntax, "", 0, "want a JSON object"},
	{"trailing data", `{} x`, envelope.ErrSyntax, "", 3, "nothing after"},
	{"a second object", `{}{}`, envelope.ErrSyntax, "", 2, "nothing after"},
	{"a trailing NUL", "{}\x00", envelope.ErrSyntax, "", 2, "nothing after"},
	{"a byte order mark", "\ufeff{}", envelope.ErrSyntax, "", 0, "byte order mark"},
	{"a byte order mark before a value", "{\"x\":\ufeff1}", envelope.ErrSyntax, "x", 5, "byte order mark"},
	{"no closing brace", `{`, envelope.ErrSyntax, "", 1, "unexpected end"},
	{"a name without quotes", `{a:1}`, envelope.ErrSyntax, "", 1, "field name in double quotes"},
	{"a comma at the start", `{,"a":1}`, envelope.ErrSyntax, "", 1, "field name"},
	{"a comma at the end", `{"a":1,}`, envelope.ErrSyntax, "", 7, "field name"},
	{"no comma", `{"a":1 "b":2}`, envelope.ErrSyntax, "", 7, "','"},
	{"no colon", `{"a" 1}`, envelope.ErrSyntax, "a", 5, "':'"},
	{"no value", `{"a":}`, envelope.ErrSyntax, "a", 5, "want a value"},
	{"cut off after a name", `{"a"`, envelope.ErrSyntax, "a", 4, "unexpected end"},
	{"cut off after a colon", `{"a":`, envelope.ErrSyntax, "a", 5, "unexpected end"},
	{"cut off after a value", `{"a":1`, envelope.ErrSyntax, "", 6, "unexpected end"},
	{"cut off after a comma", `{"a":1,`, envelope.ErrSyntax, "", 7, "unexpected end"},
	{"cut off in a name", `{"a`, envelope.ErrSyntax, "", 3, "unexpected end"},
	{"cut off in a value", `{"a":[1,{"b":"`, envelope.ErrSyntax, "a", 14, "unexpected end"},
	{"form feed is no white space", "{\f}", envelope.ErrSyntax, "", 1, "field name"},
	{"no-break space is no white space", "{}\u00a0", envelope.ErrSyntax, "", 2, "nothing after"},
	{"a comment", `{/**/}`, envelope.ErrSyntax, "", 1, "field name"},
	{"wrong brackets", `{"a":[}}`, envelope.ErrSyntax, "a", 6, "want a value"},
	{"an array closed by a brace", `{"a":[1}}`, envelope.ErrSyntax, "a", 7, "']'"},
	{"an object closed by a bracket", `{"a":{"b":1]}`, envelope.ErrSyntax, "a", 11, "'}'"},
	{"an inner object without a name", `{"a":{1:1}}`, envelope.ErrSyntax, "a", 6, "field name"},
	{"an inner object without a colon", `{"a":{"b";1}}`, envelope.ErrSyntax, "a", 9, "':'"},

	{"invalid UTF-8 in a value", "{\"a\":\"\xff\"}", envelope.ErrSyntax, "a", 6, "UTF-8"},
	{"invalid UTF-8 in a name", "{\"\xc3\x28\":1}", envelope.ErrSyntax, "", 2, "UTF-8"},
	{"invalid UTF-8 deep in the payload", "{\"payload\":[{\"k\":\"\x80\"}]}", envelope.ErrSyntax, "payload", 18, "UTF-8"},
	{"a surrogate in UTF-8", "{\"a\":\"\xed\xa0\x80\"}", envelope.ErrSyntax, "a", 6, "UTF-8"},
	{"an overlong form", "{\"a\":\"\xc0\xaf\"}", envelope.ErrSyntax, "a", 6, "UTF-8"},
	{"beyond U+10FFFF", "{\"a\":\"\xf4\x90\x80\x80\"}", envelope.ErrSyntax, "a", 6, "UTF-8"},
	{"invalid UTF-8 between tokens", "{\"a\":1\x80}", envelope.ErrSyntax, "", 6, "','"},
	{"a raw control character", "{\"a\":\"\x1f\"}", envelope.ErrSyntax, "a", 6, "control character"},
	{"a raw line break", "{\"a\":\"\n\"}", envelope.ErrSyntax, "a", 6, "control character"},
	{"a raw NUL in a name", "{\"\x00\":1}", envelope.ErrSyntax, "", 2, "control character"},
	{"a number that starts with 0", `{"a":01}`, envelope.ErrSyntax, "a", 6, "may not start with 0"},
	{"a number that starts with +", `{"a":+1}`, envelope.ErrSyntax, "a", 5, "want a value"},
	{"a number that starts with .", `{"a":.1}`, envelope.ErrSyntax, "a", 5, "want a value"},
	{"a number without digits", `{"a":-}`, envelope.ErrSyntax, "a", 6, "a digit"},
	{"a number without a fraction's digits", `{"a":1.}`, envelope.ErrSyntax, "a", 7, "after the decimal point"},
	{"a number without an exponent's digits", `{"a":1e+}`, envelope.ErrSyntax, "a", 8, "in the exponent"},
	{"a hexadecimal number", `{"a":0x1}`, envelope.ErrSyntax, "", 6, "','"},
	{"not a number", `{"a":NaN}`, envelope.ErrSyntax, "a", 5, "want a value"},
	{"a literal in capitals", `{"a":True}`, envelope.ErrSyntax, "a", 5, "want a value"},
	{"a literal cut off", `{"a":nul`, envelope.ErrSyntax, "a", 5, "want a value"},
	{"an unknown escape", `{"a":"\x"}`, envelope.ErrSyntax, "a", 6, "unknown escape"},
	{"an escape of three digits", `{"a":"\u12g4"}`, envelope.ErrSyntax, "a", 6, "four hexadecimal digits"},
	{"an escape cut off", `{"a":"\`, envelope.ErrSyntax, "a", 7, "unexpected end"},
	{"a string in single quotes", `{'a':1}`, envelope.ErrSyntax, "", 1, "field name"},

	{"a name twice", `{"a":1,"b":2,"a":1}`, envelope.ErrDuplicate, "a", 13, "twice"},
	{"a core field twice", `{"type":"x","type":"x"}`, envelope.ErrDuplicate, "type", 12, "twice"},
	{"a name twice, once escaped", `{"type":"x","ty\u0070e":"y"}`, envelope.ErrDuplicate, "type", 12, "twice"},
	{"a name twice, first escaped", `{"\u0061":1,"a":1}`, envelope.ErrDuplicate, "a", 12, "twice"},
	{"a name twice, both escaped", `{"\u0061\n":1,"a\u000a":1}`, envelope.ErrDuplicate, "a\n", 14, "twice"},
	{"a name twice as a surrogate pair", `{"😀":1,"\ud83d\ude00":1}`, envelope.ErrDuplicate, "😀", 10, "twice"},
	{"the empty name twice", `{"":1,"":1}`, envelope.ErrDuplicate, "", 6, "twice"},
	{"null twice", `{"id":null,"id":null}`, envelope.ErrDuplicate, "id", 11, "twice"},
	{"a name twice, far apart", manyFields(40, `"n3":0`), envelope.ErrDuplicate, "n3", len(manyFields(40, "")) - 1, "twice"},
	{"a name twice, far apart, escaped", manyFields(40, `"\u006e33":0`), envelope.ErrDuplicate, "n33", len(manyFields(40, "")) - 1, "twice"},

	{"a number for a core string", `{"id":7}`, envelope.ErrType, "id", 6, "want a string, got a number"},
	{"an object for a core string", `{"arcp":{}}`, envelope.ErrType, "arcp", 8, "want a string, got an object"},
	{"an array for a core string", `{"type":[]}`, envelope.ErrType, "type", 8, "want a string, got an array"},
	{"a boolean for a core string", `{"session_id":false}`, envelope.ErrType, "session_id", 14, "want a string, got a boolean"},
	{"a boolean for trace_id", `{"trace_id":true}`, envelope.ErrType, "trace_id", 12, "want a string, got a boolean"},
	{"a number for job_id", `{"job_id":-1}`, envelope.ErrType, "job_id", 10, "want a string, got a number"},
	{"a wrong type under an escaped name", `{"i\u0064":7}`, envelope.ErrType, "id", 11, "want a string, got a number"},
	{"event_seq as a string", `{"event_seq":"1"}`, envelope.ErrType, "event_seq", 13, "got a string"},
	{"event_seq with a sign", `{"event_seq":-1}`, envelope.ErrType, "event_seq", 13, "digits only"},
	{"event_seq minus zero", `{"event_seq":-0}`, envelope.ErrType, "event_seq", 13, "digits only"},
	{"event_seq with a fraction", `{"event_seq":1.0}`, envelope.ErrType, "event_seq", 13, "digits only"},
	{"event_seq with an exponent", `{"event_seq":1e2}`, envelope.ErrType, "event_seq", 13, "digits only"},
	{"event_seq of 2^64", `{"event_seq":18446744073709551616}`, envelope.ErrType, "event_seq", 13, "18446744073709551615"},
	{"event_seq of many digits", `{"event_seq":` + strings.Repeat("9", 5000) + `}`, envelope.ErrType, "event_seq", 13, "digits only"},
	{"event_seq true", `{"event_seq":true}`, envelope.ErrType, "event_seq", 13, "got a boolean"},

	{"half a surrogate pair in a name", `{"a\ud83d":1}`, envelope.ErrSyntax, "", 1, "surrogate"},
	{"the second half in a name", `{"\udc00":1}`, envelope.ErrSyntax, "", 1, "surrogate"},
	{"two first halves in a name", `{"\ud83d\ud83d":1}`, envelope.ErrSyntax, "", 1, "surrogate"},
	{"half a surrogate pair in a core string", `{"id":"\ud83d"}`, envelope.ErrSyntax, "id", 6, "surrogate"},
	{"half a surrogate pair in front of text", `{"type":"\ud83dx\ude00"}`, envelope.ErrSyntax, "type", 8, "surrogate"},
}

// manyFields is a message with n short fields, and last after them.
func manyFields(n int, last string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		fmt.Fprintf(&b, `"n%d":0,`, i)
	}
	b.WriteString(last)
	b.WriteByte('}')
	return b.String()
}

func TestDecodeRefuses(t *testing.T) {
	for _, row := range refused {
		t.Run(row.rule, func(t *testing.T) {
			e, err := envelope.Decode([]byte(row.input))
			if e != nil {
				t.Errorf("an Envelope came with the error: %v", e)
			}
			f := fault(t, err)
			if !errors.Is(err, row.err) || f.Field != row.field || f.Offset != row.offset || f.Line != 0 || !strings.Contains(f.Reason, row.reason) {
				t.Errorf("got rule %v, field %q, offset %d, reason %q\nwant %v, %q, %d, %q", f.Err, f.Field, f.Offset, f.Reason, row.err, row.field, row.offset, row.reason)
			}
			if _, peeked := envelope.Peek([]byte(row.input)); peeked == nil || peeked.Error() != err.Error() || !errors.Is(peeked, row.err) {
				t.Errorf("Peek gives %v, want %v", peeked, err)
			}
			checkReceiver(t, row.input)
		})
	}
}

// TestDecodeRefusesFarFromTheEnd: a value that may not be where it is has the same error when much stands behind it, where
// another way through the message is taken.
func TestDecodeRefusesFarFromTheEnd(t *testing.T) {
	for _, row := range refused {
		if row.err != envelope.ErrType && row.err != envelope.ErrDuplicate && row.reason != "surrogate" {
			continue
		}
		long := strings.TrimSuffix(row.input, "}") + `,"tail":"` + strings.Repeat(".", 70) + `"}`
		_, short := envelope.Decode([]byte(row.input))
		if _, err := envelope.Decode([]byte(long)); err == nil || err.Error() != short.Error() || !errors.Is(err, row.err) {
			t.Errorf("%s: %v, want %v", long, err, short)
		}
	}
}

// TestEveryByteAtEveryPlace puts every byte in the place of each one of a message, where its end is far and where it is near.
func TestEveryByteAtEveryPlace(t *testing.T) {
	const message = `{"id":"i","x":"v","event_seq":1,"n":{"a":[0.9,"s"]}}`
	for _, trail := range []string{"", strings.Repeat(" ", 70)} {
		data := []byte(message + trail)
		for i := range message {
			for b := range 256 {
				data[i] = byte(b)
				_, want := oracle(data, envelope.Options{})
				if _, err := envelope.Peek(data); (err == nil) != (want == nil) {
					t.Errorf("%q: %v, want %v", data, err, want)
				}
			}
			data[i] = message[i]
		}
	}
}

// checkReceiver checks that a failed decode leaves the receiver as it was.
func checkReceiver(t testing.TB, input string) {
	t.Helper()
	before := decode(t, spaced)
	e := *before
	if err := e.UnmarshalJSON([]byte(input)); err == nil {
		t.Fatalf("UnmarshalJSON accepts %q", input)
	}
	if !e.Equal(*before) || e.EventSeq != before.EventSeq || encode(t, &e) != spaced {
		t.Errorf("the receiver has changed to %v", e)
	}
}

func TestDecodeLeavesNothingBehind(t *testing.T) {
	e := *decode(t, plain)
	if err := e.UnmarshalJSON([]byte(`{"id":"2","y":1}`)); err != nil {
		t.Fatal(err)
	}
	want := ext("y", `1`)
	want.ID = "2"
	if !e.Equal(want) || encode(t, &e) != `{"id":"2","y":1}` {
		t.Errorf("got %v", fieldsOf(&e))
	}
	if err := e.UnmarshalJSON([]byte(`{}`)); err != nil || e.Extensions != nil || encode(t, &e) != `{}` {
		t.Errorf("got %v, %v", fieldsOf(&e), err)
	}
}
