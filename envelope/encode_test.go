package envelope_test

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/arcp-go/arcp/envelope"
)

// encoding is one row of "what is written". An empty source is an Envelope built in memory.
type encoding struct {
	rule   string
	source string
	edit   func(e *envelope.Envelope)
	want   string
}

func set(pairs ...string) func(e *envelope.Envelope) {
	return func(e *envelope.Envelope) {
		e.Extensions = maps.Clone(e.Extensions)
		if e.Extensions == nil {
			e.Extensions = map[string]json.RawMessage{}
		}
		for i := 0; i < len(pairs); i += 2 {
			e.Extensions[pairs[i]] = raw(pairs[i+1])
		}
	}
}

func drop(names ...string) func(e *envelope.Envelope) {
	return func(e *envelope.Envelope) {
		e.Extensions = maps.Clone(e.Extensions)
		for _, name := range names {
			delete(e.Extensions, name)
		}
	}
}

var encodings = []encoding{
	{"untouched, without white space", plain, nothing, plain},
	{"untouched, with white space before, after and inside", spaced, nothing, spaced},
	{"untouched, null and empty fields", `{"id":null,"type":"","event_seq":null,"payload":null,"x":null}`, nothing, `{"id":null,"type":"","event_seq":null,"payload":null,"x":null}`},
	{"untouched, assigned what was there", `{"i\u0064":"\u0061","event_seq":1}`, func(e *envelope.Envelope) { e.ID, e.EventSeq = "a", seq(1) }, `{"i\u0064":"\u0061","event_seq":1}`},
	{"untouched, raw values assigned with equal bytes", `{"payload":[1],"x":{}}`, func(e *envelope.Envelope) { e.Payload = raw(`[1]`); set("x", `{}`)(e) }, `{"payload":[1],"x":{}}`},

	{"changed in place, name as written", spaced, func(e *envelope.Envelope) { e.Type = "t2" }, strings.Replace(spaced, `"job.event"`, `"t2"`, 1)},
	{"changed null in place", spaced, func(e *envelope.Envelope) { e.TraceID = "x" }, strings.Replace(spaced, `null`, `"x"`, 1)},
	{"changed empty string in place", spaced, func(e *envelope.Envelope) { e.ID = "x" }, strings.Replace(spaced, `"id" : ""`, `"id" : "x"`, 1)},
	{"changed payload in place", spaced, func(e *envelope.Envelope) { e.Payload = raw(`"p"`) }, strings.Replace(spaced, `{ "a" : [ 1 , 2 ] }`, `"p"`, 1)},
	{"changed event_seq in place", spaced, func(e *envelope.Envelope) { e.EventSeq = seq(8) }, strings.Replace(spaced, `: 7`, `: 8`, 1)},
	{"changed event_seq through the pointer", spaced, func(e *envelope.Envelope) { *e.EventSeq++ }, strings.Replace(spaced, `: 7`, `: 8`, 1)},
	{"changed null event_seq in place", `{"event_seq":null}`, func(e *envelope.Envelope) { e.EventSeq = seq(0) }, `{"event_seq":0}`},
	{"changed extension in place, name as written", spaced, set("x-vendor.acme.priority", `{ }`), strings.Replace(spaced, `"h\u0069gh"`, `{ }`, 1)},
	{"changed to another spelling of the same value", `{"x":1.0,"payload":"\u0061"}`, func(e *envelope.Envelope) { set("x", `1.00`)(e); e.Payload = raw(`"a"`) }, `{"x":1.00,"payload":"a"}`},
	{"two changes", `{"id":"a", "x":1, "type":"t"}`, func(e *envelope.Envelope) { e.Type = "u"; set("x", `2`)(e) }, `{"id":"a", "x":2, "type":"u"}`},

	{"new core field, after the white space before the brace", "{\"id\":\"a\" \n} \n", func(e *envelope.Envelope) { e.Type = "t" }, "{\"id\":\"a\" \n,\"type\":\"t\"} \n"},
	{"new field in an empty object", "{ }\n", func(e *envelope.Envelope) { e.Payload = raw(`null`) }, "{ \"payload\":null}\n"},
	{"new fields: core in core order, then extensions by name", `{"x":1}`, func(e *envelope.Envelope) {
		*e = *fill(e)
		set("b", `1`, "a", `2`, "", `3`, "a\n", `4`)(e)
	}, `{"x":1,"arcp":"1.1","id":"i","type":"t","session_id":"s","trace_id":"tr","job_id":"j","event_seq":0,"payload":{},"":3,"a":2,"a\n":4,"b":1}`},

	{"new fields among many", manyFields(30, `"\u007a":1`), set("z", `2`, "new", `3`, "n7", `4`),
		strings.NewReplacer(`"n7":0`, `"n7":4`, `"\u007a":1`, `"\u007a":2,"new":3`).Replace(manyFields(30, `"\u007a":1`))},

	{"removed: the only one", `{ "id" : "a" }`, func(e *envelope.Envelope) { e.ID = "" }, `{  }`},
	{"removed: the first, through the comma after it", `{ "id" : "a" , "x":1}`, func(e *envelope.Envelope) { e.ID = "" }, `{  "x":1}`},
	{"removed: in the middle, from the comma before it", `{"a":1 , "id":"i" , "b":2}`, func(e *envelope.Envelope) { e.ID = "" }, `{"a":1  , "b":2}`},
	{"removed: the last", "{\"a\":1 ,\n\"b\":2 }", drop("b"), `{"a":1  }`},
	{"removed: the first two", `{"a":1, "b":2, "c":3}`, drop("a", "b"), `{  "c":3}`},
	{"removed: the first and the last", `{"a":1, "b":2, "c":3}`, drop("a", "c"), `{ "b":2}`},
	{"removed: all", `{"a":1,"b":2,"c":3}`, drop("a", "b", "c"), `{}`},
	{"removed: all, and one added", `{"a":1,"b":2}`, func(e *envelope.Envelope) { drop("a", "b")(e); e.ID = "i" }, `{"id":"i"}`},
	{"removed: payload", `{"payload":{},"id":"i"}`, func(e *envelope.Envelope) { e.Payload = nil }, `{"id":"i"}`},
	{"removed: null payload", `{"payload":null,"id":"i"}`, func(e *envelope.Envelope) { e.Payload = nil }, `{"id":"i"}`},
	{"removed: event_seq", `{"id":"i","event_seq":3}`, func(e *envelope.Envelope) { e.EventSeq = nil }, `{"id":"i"}`},
	{"removed: an extension whose name is escaped", `{"id":"i","\u0061":3}`, drop("a"), `{"id":"i"}`},
	{"removed: the map", `{"a":1,"id":"i","b":2}`, func(e *envelope.Envelope) { e.Extensions = nil }, `{"id":"i"}`},
	{"removed: a value of brackets and quotes", `{"id":"i","a":"},{\"","b":2}`, drop("a"), `{"id":"i","b":2}`},

	{"built: nothing", "", nothing, `{}`},
	{"built: core fields in order, then extensions by name", "", func(e *envelope.Envelope) { *e = *fill(e); set("b", `1`, "a", `2`)(e) },
		`{"arcp":"1.1","id":"i","type":"t","session_id":"s","trace_id":"tr","job_id":"j","event_seq":0,"payload":{},"a":2,"b":1}`},
	{"built: absent ones left out", "", func(e *envelope.Envelope) { e.Type, e.Payload = "t", raw(`null`) }, `{"type":"t","payload":null}`},
	{"built: an empty map", "", func(e *envelope.Envelope) { e.Extensions = map[string]json.RawMessage{} }, `{}`},

	{"core string: empty on absent is untouched", `{"x":1}`, func(e *envelope.Envelope) { e.ID = "" }, `{"x":1}`},
	{"core string: empty on null is untouched", `{"x":1,"id":null}`, func(e *envelope.Envelope) { e.ID = ""; set("x", `2`)(e) }, `{"x":2,"id":null}`},
	{"core string: empty on empty is untouched", `{"x":1,"id":""}`, func(e *envelope.Envelope) { e.ID = ""; set("x", `2`)(e) }, `{"x":2,"id":""}`},
	{"core string: empty on another removes it", `{"x":1,"id":"i"}`, func(e *envelope.Envelope) { e.ID = "" }, `{"x":1}`},

	{"text: minimal escaping in a core string", "", func(e *envelope.Envelope) { e.ID = "<&>\u2028\u2029/é😀\x7f\"\\\b\f\n\r\t\x00\x1f" },
		"{\"id\":\"<&>\u2028\u2029/é😀\x7f\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f\"}"},
	{"text: minimal escaping in a name", "", set("<\u2028\"\n>", `1`), "{\"<\u2028\\\"\\n>\":1}"},

	{"raw value verbatim, white space around it trimmed", "", func(e *envelope.Envelope) { set("x", " \t\r\n{ \"<\" : 1.0 } \n")(e); e.Payload = raw("\n[ ]\n") },
		`{"payload":[ ],"x":{ "<" : 1.0 }}`},
	{"raw value in place, trimmed", `{"x": 1 }`, set("x", " 2 "), `{"x": 2 }`},
	{"raw value with white space around what was there", `{"x": 1 }`, set("x", " 1 "), `{"x": 1 }`},
	{"raw value with half a surrogate pair", "", set("x", `"\ud83d"`), `{"x":"\ud83d"}`},
	{"raw value nested deeper than any limit", "", set("x", strings.Repeat("[", 3000)+strings.Repeat("]", 3000)),
		`{"x":` + strings.Repeat("[", 3000) + strings.Repeat("]", 3000) + `}`},
}

func nothing(*envelope.Envelope) {}

func fill(e *envelope.Envelope) *envelope.Envelope {
	e.ARCP, e.ID, e.Type, e.SessionID, e.TraceID, e.JobID, e.EventSeq, e.Payload = "1.1", "i", "t", "s", "tr", "j", seq(0), raw(`{}`)
	return e
}

func start(t testing.TB, source string) *envelope.Envelope {
	t.Helper()
	if source == "" {
		return &envelope.Envelope{}
	}
	return decode(t, source)
}

func TestEncode(t *testing.T) {
	for _, row := range encodings {
		t.Run(row.rule, func(t *testing.T) {
			e := start(t, row.source)
			row.edit(e)
			out, err := e.AppendJSON(newUnchanged().dst)
			if err != nil {
				t.Fatal(err)
			}
			if got := appended(t, out); got != row.want {
				t.Errorf("AppendJSON\n got %s\nwant %s", got, row.want)
			}
			if out, err := e.MarshalJSON(); err != nil || string(out) != row.want {
				t.Errorf("MarshalJSON gives %s, %v", out, err)
			}
			if got := encode(t, e); got != row.want {
				t.Errorf("a second time: %s", got)
			}
			var line strings.Builder
			if err := envelope.NewWriter(&line).Write(e); err != nil || line.String() != withoutBreaks(row.want)+"\n" {
				t.Errorf("Writer gives %q, %v", line.String(), err)
			}
		})
	}
}

// withoutBreaks is what the Writer must make of a message whose line breaks are all between tokens.
func withoutBreaks(s string) string { return strings.NewReplacer("\n", "", "\r", "").Replace(s) }

func TestEncodeRefuses(t *testing.T) {
	rows := []struct {
		rule   string
		edit   func(e *envelope.Envelope)
		field  string
		err    error
		reason string
	}{
		{"nil in Extensions", func(e *envelope.Envelope) { e.Extensions["x"] = nil }, "x", envelope.ErrSyntax, "empty"},
		{"empty in Extensions", set("x", ``), "x", envelope.ErrSyntax, "empty"},
		{"nil in a new extension", func(e *envelope.Envelope) { e.Extensions["new"] = nil }, "new", envelope.ErrSyntax, "empty"},
		{"white space only", set("x", " \n"), "x", envelope.ErrSyntax, "unexpected end"},
		{"an empty payload that is not nil", func(e *envelope.Envelope) { e.Payload = json.RawMessage{} }, "payload", envelope.ErrSyntax, "empty"},
		{"an invalid payload", func(e *envelope.Envelope) { e.Payload = raw(`{"secret":}`) }, "payload", envelope.ErrSyntax, "want a value"},
		{"an invalid extension", set("x", `secret`), "x", envelope.ErrSyntax, "want a value"},
		{"an invalid new extension", set("new", `[1`), "new", envelope.ErrSyntax, "unexpected end"},
		{"two values", set("x", `1 2`), "x", envelope.ErrSyntax, "nothing after"},
		{"a value that would break out", set("x", `1,"type":"evil"`), "x", envelope.ErrSyntax, "nothing after"},
		{"invalid UTF-8 in a raw value", set("x", "\"\xff\""), "x", envelope.ErrSyntax, "UTF-8"},
		{"invalid UTF-8 in the payload", func(e *envelope.Envelope) { e.Payload = raw("\"\xff\"") }, "payload", envelope.ErrSyntax, "UTF-8"},
		{"invalid UTF-8 in a name", set("a\xff", `1`), "a\xff", envelope.ErrSyntax, "UTF-8"},
		{"invalid UTF-8 in arcp", func(e *envelope.Envelope) { e.ARCP = "\xff" }, "arcp", envelope.ErrSyntax, "UTF-8"},
		{"invalid UTF-8 in id", func(e *envelope.Envelope) { e.ID = "\xed\xa0\x80" }, "id", envelope.ErrSyntax, "UTF-8"},
		{"invalid UTF-8 in type", func(e *envelope.Envelope) { e.Type = "a\xc0" }, "type", envelope.ErrSyntax, "UTF-8"},
		{"invalid UTF-8 in session_id", func(e *envelope.Envelope) { e.SessionID = "\x80" }, "session_id", envelope.ErrSyntax, "UTF-8"},
		{"invalid UTF-8 in trace_id", func(e *envelope.Envelope) { e.TraceID = "\x80" }, "trace_id", envelope.ErrSyntax, "UTF-8"},
		{"invalid UTF-8 in job_id", func(e *envelope.Envelope) { e.JobID = "\x80" }, "job_id", envelope.ErrSyntax, "UTF-8"},
		{"an extension named like a core field that is there", set("type", `"x"`), "type", envelope.ErrDuplicate, "field of its own"},
		{"an extension named like a core field that is not there", set("job_id", `"x"`), "job_id", envelope.ErrDuplicate, "field of its own"},
		{"an extension in place of a core field removed", func(e *envelope.Envelope) { e.ID = ""; set("id", `"x"`)(e) }, "id", envelope.ErrDuplicate, "field of its own"},
		{"an extension in place of one removed", func(e *envelope.Envelope) { drop("x")(e); set("payload", `1`)(e) }, "payload", envelope.ErrDuplicate, "field of its own"},
	}
	for _, row := range rows {
		for _, source := range []string{`{"arcp":"1.1","id":"i","type":"t","payload":{},"x":1}`, ""} {
			t.Run(row.rule, func(t *testing.T) {
				e := start(t, source)
				if e.Extensions == nil {
					e.Extensions = map[string]json.RawMessage{}
				}
				row.edit(e)
				before := e.Clone()
				dst := newUnchanged()
				out, err := e.AppendJSON(dst.dst)
				f := fault(t, err)
				if f.Field != row.field || f.Offset != -1 || !errors.Is(err, row.err) || !strings.Contains(f.Reason, row.reason) {
					t.Errorf("got %q, %d, %v, %q", f.Field, f.Offset, f.Err, f.Reason)
				}
				if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "evil") {
					t.Errorf("the error quotes a value: %v", err)
				}
				dst.check(t, out)
				if out, again := e.MarshalJSON(); out != nil || again == nil || again.Error() != err.Error() {
					t.Errorf("MarshalJSON gives %q, %v", out, again)
				}
				var line strings.Builder
				if again := envelope.NewWriter(&line).Write(e); again == nil || again.Error() != err.Error() || line.Len() > 0 {
					t.Errorf("Writer gives %q, %v", line.String(), again)
				}
				if !e.Equal(*before) {
					t.Error("encoding has changed the Envelope")
				}
			})
		}
	}
}

func TestEncodeNil(t *testing.T) {
	dst := newUnchanged()
	out, err := (*envelope.Envelope)(nil).AppendJSON(dst.dst)
	if f := fault(t, err); !errors.Is(err, envelope.ErrInvalid) || f.Offset != -1 {
		t.Errorf("got %v", err)
	}
	dst.check(t, out)
}

func TestEncodeAppliesNoLimits(t *testing.T) {
	e := decode(t, plain)
	var pairs []string
	for i := range 2000 {
		pairs = append(pairs, strings.Repeat("n", i+1), `0`)
	}
	set(pairs...)(e)
	out := encode(t, e)
	if _, err := envelope.Decode([]byte(out)); !errors.Is(err, envelope.ErrTooManyFields) {
		t.Errorf("got %v, want the default limits to refuse it", err)
	}
	back, err := envelope.Options{MaxMembers: 3000}.Decode([]byte(out))
	if err != nil || !back.Equal(*e) {
		t.Errorf("under raised limits: %v", err)
	}
}

func TestUndoneEditsGiveTheFirstBytes(t *testing.T) {
	for _, source := range append(recordings(t), plain, spaced, `{"id":null,"event_seq":null}`) {
		e := decode(t, source)
		first := e.Clone()
		e.Type, e.EventSeq, e.Payload = "changed", seq(99), nil
		set("x-vendor.acme.new", `1`)(e)
		if encode(t, e) == source {
			t.Fatal("the edits made no difference")
		}
		e.Type, e.EventSeq, e.Payload = first.Type, first.EventSeq, first.Payload
		e.DeleteExtension("x-vendor.acme.new")
		if got := encode(t, e); got != source {
			t.Errorf("got %s\nwant %s", got, source)
		}
	}
}
