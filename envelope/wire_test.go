package envelope_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/arcp-go/arcp/envelope"
)

func TestAppendSet(t *testing.T) {
	rows := []struct {
		rule, source, name, value, want string
	}{
		{"a new field", `{"id":"i"}`, "x", `1`, `{"id":"i","x":1}`},
		{"a new field after the white space before the brace", "{\"id\":\"i\" \n} \n", "x", `1`, "{\"id\":\"i\" \n,\"x\":1} \n"},
		{"a new field in an empty object", " { } ", "x", `1`, " { \"x\":1} "},
		{"the value is trimmed", `{}`, "x", " \t\r\n{ } \n", `{"x":{ }}`},
		{"the value keeps its bytes", `{}`, "x", `{"a" : 1.0,"a":"\ud83d<` + "\u2028" + `"}`, `{"x":{"a" : 1.0,"a":"\ud83d<` + "\u2028" + `"}}`},
		{"a field that is there keeps name and place", spaced, "x-vendor.acme.priority", `1`, strings.Replace(spaced, `"h\u0069gh"`, `1`, 1)},
		{"a core field that is there keeps name and place", spaced, "type", `"\u0074"`, strings.Replace(spaced, `"job.event"`, `"\u0074"`, 1)},
		{"a null core field", spaced, "trace_id", `"t"`, strings.Replace(spaced, `null`, `"t"`, 1)},
		{"the first field", `{ "a":1,"b":2}`, "a", `3`, `{ "a":3,"b":2}`},
		{"the last field", `{"a":1,"b" : 2 }`, "b", `3`, `{"a":1,"b" : 3 }`},
		{"a new core field", `{"x":1}`, "event_seq", `18446744073709551615`, `{"x":1,"event_seq":18446744073709551615}`},
		{"null in a core field", `{"id":"i"}`, "id", ` null `, `{"id":null}`},
		{"any payload", `{"payload":1}`, "payload", `"\ud83d"`, `{"payload":"\ud83d"}`},
		{"a name is not a path", `{"a":{"b":1}}`, "a.b", `2`, `{"a":{"b":1},"a.b":2}`},
		{"a name is escaped minimally", `{}`, "\"\\\n\u2028</é\x00", `1`, "{\"\\\"\\\\\\n\u2028</é\\u0000\":1}"},
		{"the empty name", `{}`, "", `1`, `{"":1}`},
		{"the empty name that is there", `{"" : 2}`, "", `1`, `{"" : 1}`},
		{"a name inside a value is another", `{"a":{"x":1},"payload":{"x":2}}`, "x", `3`, `{"a":{"x":1},"payload":{"x":2},"x":3}`},
		{"a look-alike", `{"TYPE":1}`, "type", `"t"`, `{"TYPE":1,"type":"t"}`},
		{"the twentieth field of many", manyFields(40, `"z":1`), "n20", `"x"`, strings.Replace(manyFields(40, `"z":1`), `"n20":0`, `"n20":"x"`, 1)},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			source, value := []byte(row.source), []byte(row.value)
			out, err := envelope.AppendSet(newUnchanged().dst, source, row.name, value)
			if err != nil {
				t.Fatal(err)
			}
			if got := appended(t, out); got != row.want {
				t.Errorf("\n got %s\nwant %s", got, row.want)
			}
			if string(source) != row.source || string(value) != row.value {
				t.Error("an argument has been written into")
			}
			if got := mustAppend(t)(envelope.AppendSet(nil, source, row.name, value)); got != row.want {
				t.Errorf("with a nil dst: %s", got)
			}
			decode(t, row.want)
		})
	}
}

func mustAppend(t testing.TB) func([]byte, error) string {
	return func(out []byte, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
}

func TestAppendSetRefuses(t *testing.T) {
	rows := []struct {
		rule, source, name, value string
		err                       error
		field                     string
		offset                    int
	}{
		{"a name that is not UTF-8", `{}`, "a\xff", `1`, envelope.ErrSyntax, "a\xff", -1},
		{"no value", `{}`, "x", ``, envelope.ErrSyntax, "x", -1},
		{"white space for a value", `{}`, "x", " ", envelope.ErrSyntax, "x", -1},
		{"a value that is not JSON", `{}`, "x", `secret`, envelope.ErrSyntax, "x", -1},
		{"two values", `{}`, "x", `1,"type":"secret"`, envelope.ErrSyntax, "x", -1},
		{"a value that is not UTF-8", `{}`, "x", "\"\xff\"", envelope.ErrSyntax, "x", -1},
		{"a number for a core string", `{}`, "id", `1`, envelope.ErrType, "id", -1},
		{"an object for a core string", `{"id":"i"}`, "session_id", `{}`, envelope.ErrType, "session_id", -1},
		{"half a surrogate pair for a core string", `{}`, "type", `"\ud83d"`, envelope.ErrSyntax, "type", -1},
		{"a string for event_seq", `{}`, "event_seq", `"1"`, envelope.ErrType, "event_seq", -1},
		{"2^64 for event_seq", `{}`, "event_seq", `18446744073709551616`, envelope.ErrType, "event_seq", -1},
		{"a message that Decode refuses", `{"a":1,"a":2}`, "x", `1`, envelope.ErrDuplicate, "a", 7},
		{"a message with an error after the field", `{"x":1,"id":5}`, "x", `1`, envelope.ErrType, "id", 12},
		{"a message with data after it", `{"x":1} {}`, "x", `1`, envelope.ErrSyntax, "", 8},
		{"a message cut off", `{"x":1`, "x", `1`, envelope.ErrSyntax, "", 6},
		{"no message", ``, "x", `1`, envelope.ErrSyntax, "", 0},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			dst := newUnchanged()
			out, err := envelope.AppendSet(dst.dst, []byte(row.source), row.name, []byte(row.value))
			if f := fault(t, err); !errors.Is(err, row.err) || f.Field != row.field || f.Offset != row.offset {
				t.Errorf("got %q, %d: %v", f.Field, f.Offset, err)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error quotes the value: %v", err)
			}
			dst.check(t, out)
		})
	}
}

func TestAppendDelete(t *testing.T) {
	rows := []struct {
		rule, source, name, want string
	}{
		{"an absent name", spaced, "absent", spaced},
		{"an absent name that is inside a value", spaced, "a", spaced},
		{"from an empty object", ` { } `, "x", ` { } `},
		{"the only one", "{ \"x\" : 1\n}", "x", "{ \n}"},
		{"the first, through the comma after it", `{ "x" : 1 , "y":2}`, "x", `{  "y":2}`},
		{"in the middle, from the comma before it", `{"a":1 ,  "x":2 , "b":3}`, "x", `{"a":1  , "b":3}`},
		{"the last, from the comma before it", "{\"a\":1 ,\n\"x\":2 }", "x", "{\"a\":1  }"},
		{"an escaped name", `{"a":1,"\u0078":2}`, "x", `{"a":1}`},
		{"a core field", `{"id":"i","type":"t"}`, "type", `{"id":"i"}`},
		{"a null core field", `{"id":null,"type":"t"}`, "id", `{"type":"t"}`},
		{"a value of commas and braces", `{"a":[1,{"x":","}],"x":{"x":[",}"]},"b":3}`, "x", `{"a":[1,{"x":","}],"b":3}`},
		{"a name that is not UTF-8 is absent", `{"a":1}`, "a\xff", `{"a":1}`},
		{"among many", manyFields(40, `"z":1`), "n0", strings.Replace(manyFields(40, `"z":1`), `"n0":0,`, ``, 1)},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			source := []byte(row.source)
			out, err := envelope.AppendDelete(newUnchanged().dst, source, row.name)
			if err != nil {
				t.Fatal(err)
			}
			if got := appended(t, out); got != row.want {
				t.Errorf("\n got %s\nwant %s", got, row.want)
			}
			if string(source) != row.source {
				t.Error("data has been written into")
			}
		})
	}
	for _, row := range refused {
		dst := newUnchanged()
		out, err := envelope.AppendDelete(dst.dst, []byte(row.input), "a")
		if f := fault(t, err); !errors.Is(err, row.err) || f.Offset != row.offset || f.Field != row.field {
			t.Errorf("%s: %v", row.rule, err)
		}
		dst.check(t, out)
	}
}

func TestPeekFieldsAreNilOrNot(t *testing.T) {
	h, err := envelope.Peek([]byte(`{"arcp":"","id":null,"payload":null,"event_seq":null}`))
	if err != nil {
		t.Fatal(err)
	}
	if h.ARCP == nil || len(h.ARCP) != 0 || h.ID != nil || h.Type != nil || h.SessionID != nil || h.TraceID != nil || h.JobID != nil || h.HasEventSeq {
		t.Errorf("got %#v", h)
	}
	if string(h.Payload) != "null" {
		t.Errorf("payload %q, want its bytes, as Decode gives them", h.Payload)
	}
	if h, err := envelope.Peek([]byte(`{"id":"\u0061\n","type":"t"}`)); err != nil || string(h.ID) != "a\n" || h.Payload != nil {
		t.Errorf("got %v, %v", h, err)
	}
}

func TestPeekAliasesDataAndNoMore(t *testing.T) {
	data := []byte(`{"arcp":"1","id":"2","type":"3","session_id":"4","trace_id":"5","job_id":"6","payload":[7],"z":0}`)
	h, err := envelope.Peek(data)
	if err != nil {
		t.Fatal(err)
	}
	whole := string(data)
	for _, field := range [][]byte{h.ARCP, h.ID, h.Type, h.SessionID, h.TraceID, h.JobID, h.Payload} {
		if cap(field) != len(field) {
			t.Errorf("%q has room for %d bytes", field, cap(field))
		}
		_ = append(field, "overwritten"...)
		at := strings.Index(whole, string(field))
		data[at+len(field)-1] ^= 1
		if string(field) == whole[at:at+len(field)] {
			t.Errorf("%q does not alias data", field)
		}
		data[at+len(field)-1] ^= 1
	}
	if string(data) != whole {
		t.Errorf("appending reached into data: %s", data)
	}
}

func TestPeekKeepsWhatCameBeforeAnError(t *testing.T) {
	rows := []struct {
		rule, input string
		want        envelope.Header
	}{
		{"a syntax error", `{"id":"i","event_seq":3,"type":}`, envelope.Header{ID: []byte("i"), EventSeq: 3, HasEventSeq: true}},
		{"a wrong type", `{"arcp":"1.1","type":"t","id":5,"job_id":"j"}`, envelope.Header{ARCP: []byte("1.1"), Type: []byte("t")}},
		{"a second one keeps the first", `{"id":"first","id":"second"}`, envelope.Header{ID: []byte("first")}},
		{"trailing data", `{"session_id":"s","payload":{}} x`, envelope.Header{SessionID: []byte("s"), Payload: []byte(`{}`)}},
		{"an error among many fields", `{"id":"i",` + manyFields(40, `"trace_id":"t","x":}`)[1:], envelope.Header{ID: []byte("i"), TraceID: []byte("t")}},
		{"nothing before", `[]`, envelope.Header{}},
	}
	for _, row := range rows {
		h, err := envelope.Peek([]byte(row.input))
		if err == nil {
			t.Errorf("%s: no error", row.rule)
		}
		if h.String() != row.want.String() || string(h.Payload) != string(row.want.Payload) {
			t.Errorf("%s: %v, want %v", row.rule, h, row.want)
		}
	}
	if h, err := (envelope.Options{MaxBytes: 10}).Peek([]byte(`{"id":"i","type":"t"}`)); err == nil || h.ID != nil {
		t.Errorf("too long: %v, %v", h, err)
	}
}
