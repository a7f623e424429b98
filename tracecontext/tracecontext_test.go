package tracecontext_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/tracecontext"
)

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanID  = "00f067aa0ba902b7"
	parent  = "00-" + traceID + "-" + spanID + "-01"
	other   = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
	key     = `"x-vendor.opentelemetry.tracecontext":`
)

func decode(t testing.TB, text string) *envelope.Envelope {
	t.Helper()
	env, err := envelope.Decode([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return env
}

func encode(t testing.TB, env *envelope.Envelope) string {
	t.Helper()
	text, err := env.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// holding is a message with one value under Key.
func holding(value string) string {
	return `{"arcp":"1.1","id":"m","type":"job.submit","payload":{"agent":"echo"},` + key + value + `}`
}

// traceparents are the rules of W3C Trace Context.
var traceparents = []struct {
	rule, text string
	ok         bool
}{
	{"version 00", parent, true},
	{"not sampled", "00-" + traceID + "-" + spanID + "-00", true},
	{"flags of the future", "00-" + traceID + "-" + spanID + "-ff", true},
	{"ids that are zero but for one digit", "00-" + strings.Repeat("0", 31) + "1-" + strings.Repeat("0", 15) + "1-01", true},
	{"version 00 and more", parent + "-x", false},
	{"version 00 and a dash", parent + "-", false},
	{"a higher version that ends there", "01" + parent[2:], true},
	{"a higher version and more parts", "fe" + parent[2:] + "-more-parts-é", true},
	{"a higher version and a dash", "01" + parent[2:] + "-", true},
	{"a higher version and more without a dash", "01" + parent[2:] + "x", false},
	{"a higher version that is too short", "01" + parent[2:54], false},
	{"version ff", "ff" + parent[2:], false},
	{"version in capitals", "0A" + parent[2:], false},
	{"version not hexadecimal", "0x" + parent[2:], false},
	{"no version", parent[3:], false},
	{"one digit short", parent[:54], false},
	{"trace id all zero", "00-" + strings.Repeat("0", 32) + "-" + spanID + "-01", false},
	{"parent id all zero", "00-" + traceID + "-" + strings.Repeat("0", 16) + "-01", false},
	{"trace id in capitals", strings.ToUpper(parent), false},
	{"trace id not hexadecimal", strings.Replace(parent, "4bf9", "4bg9", 1), false},
	{"parent id not hexadecimal", strings.Replace(parent, "00f0", "00g0", 1), false},
	{"flags not hexadecimal", parent[:54] + "g", false},
	{"underscores for dashes", strings.ReplaceAll(parent, "-", "_"), false},
	{"white space before", " " + parent, false},
	{"white space after", parent + " ", false},
	{"line break after", parent + `\n`, false},
	{"two joined by a comma", parent + "," + other, false},
	{"full-width digits", "\uff10\uff10" + parent[2:], false},
	{"the trace id alone", traceID, false},
	{"empty", "", false},
}

func TestTraceparent(t *testing.T) {
	for _, row := range traceparents {
		t.Run(row.rule, func(t *testing.T) {
			env := decode(t, holding(`{"traceparent":"`+row.text+`"}`))
			tc, ok := tracecontext.Extract(env)
			if want := (tracecontext.TraceContext{Traceparent: row.text}); ok != row.ok || ok && tc != want || !ok && tc != (tracecontext.TraceContext{}) {
				t.Errorf("got %+v, %v, want %v", tc, ok, row.ok)
			}
			env = decode(t, `{"type":"x"}`)
			err := tracecontext.Inject(env, tracecontext.TraceContext{Traceparent: row.text}, tracecontext.TopLevel)
			if (err == nil) != row.ok || err != nil && !errors.Is(err, tracecontext.ErrMalformed) {
				t.Errorf("Inject: %v, want %v", err, row.ok)
			}
			if err != nil && encode(t, env) != `{"type":"x"}` {
				t.Errorf("a failed Inject left %s", encode(t, env))
			}
		})
	}
}

func TestTraceparentErrorsQuoteNothing(t *testing.T) {
	err := tracecontext.Inject(new(envelope.Envelope), tracecontext.TraceContext{Traceparent: "secret"}, tracecontext.TopLevel)
	if text := fmt.Sprint(err); strings.Contains(text, "secret") || !strings.HasPrefix(text, "tracecontext: malformed: traceparent: ") {
		t.Errorf("got %q", text)
	}
}

func TestExtract(t *testing.T) {
	long := "acme=" + strings.Repeat("x", 600)
	for _, row := range []struct {
		rule string
		text string
		want tracecontext.TraceContext // zero: none
	}{
		{"top level, as C#", `{` + key + `{"traceparent":"` + parent + `"}}`, tracecontext.TraceContext{Traceparent: parent}},
		{"extensions, as Go and TypeScript", `{"extensions":{` + key + `{"traceparent":"` + parent + `"}}}`, tracecontext.TraceContext{Traceparent: parent}},
		{"payload.extensions, as Java", `{"payload":{"agent":"echo","extensions":{` + key + `{"traceparent":"` + parent + `"}}}}`, tracecontext.TraceContext{Traceparent: parent}},
		{"with a tracestate", holding(`{"tracestate":"acme=1,b@c=2","traceparent":"` + parent + `"}`), tracecontext.TraceContext{Traceparent: parent, Tracestate: "acme=1,b@c=2"}},
		{"escapes", strings.Replace(holding(`{"tr\u0061ceparent":"\u0030`+parent[1:]+`"}`), "x-vendor", `\u0078-vendor`, 1), tracecontext.TraceContext{Traceparent: parent}},
		{"escapes in the payload", `{"payload":{"ext\u0065nsions":{"x-vendor.opentel\u0065metry.tracecontext":{"traceparent":"` + parent + `"}}}}`, tracecontext.TraceContext{Traceparent: parent}},

		{"top level before extensions", `{"extensions":{` + key + `{"traceparent":"` + other + `"}},` + key + `{"traceparent":"` + parent + `"}}`, tracecontext.TraceContext{Traceparent: parent}},
		{"extensions before payload.extensions", `{"payload":{"extensions":{` + key + `{"traceparent":"` + other + `"}}},"extensions":{` + key + `{"traceparent":"` + parent + `"}}}`, tracecontext.TraceContext{Traceparent: parent}},
		{"malformed at top level falls through", `{` + key + `{"traceparent":"x","tracestate":"bad=1"},"extensions":{` + key + `{"traceparent":"` + parent + `"}}}`, tracecontext.TraceContext{Traceparent: parent}},
		{"malformed twice falls through to the payload", `{` + key + `{"traceparent":7},"extensions":{` + key + `"` + parent + `"},"payload":{"extensions":{` + key + `{"traceparent":"` + parent + `","tracestate":"a=1"}}}}`, tracecontext.TraceContext{Traceparent: parent, Tracestate: "a=1"}},
		{"null falls through", `{` + key + `null,"extensions":{` + key + `{"traceparent":"` + parent + `"}}}`, tracecontext.TraceContext{Traceparent: parent}},
		{"a text falls through", `{` + key + `"` + parent + `","extensions":{` + key + `{"traceparent":"` + other + `"}}}`, tracecontext.TraceContext{Traceparent: other}},
		{"an array falls through", `{` + key + `["` + parent + `"],"extensions":{` + key + `{"traceparent":"` + other + `"}}}`, tracecontext.TraceContext{Traceparent: other}},
		{"a field twice falls through", `{` + key + `{"traceparent":"` + parent + `","traceparent":"` + parent + `"},"extensions":{` + key + `{"traceparent":"` + other + `"}}}`, tracecontext.TraceContext{Traceparent: other}},
		{"extensions no object", `{"extensions":[1],"payload":{"extensions":{` + key + `{"traceparent":"` + parent + `"}}}}`, tracecontext.TraceContext{Traceparent: parent}},
		{"the name twice inside extensions falls through", `{"extensions":{` + key + `{"traceparent":"` + parent + `"},` + key + `{"traceparent":"` + parent + `"}},"payload":{"extensions":{` + key + `{"traceparent":"` + other + `"}}}}`, tracecontext.TraceContext{Traceparent: other}},
		{"extensions twice inside the payload is none", `{"payload":{"extensions":{` + key + `{"traceparent":"` + parent + `"}},"extensions":{` + key + `{"traceparent":"` + parent + `"}}}}`, tracecontext.TraceContext{}},
		{"other names twice inside the payload are not judged", `{"payload":{"\ud83d":1,"a":1,"a":2,"extensions":{"b":1,"b":2,` + key + `{"traceparent":"` + parent + `"}}}}`, tracecontext.TraceContext{Traceparent: parent}},

		{"names in another case", holding(`{"TraceParent":"` + parent + `","TRACESTATE":"a=1"}`), tracecontext.TraceContext{Traceparent: parent, Tracestate: "a=1"}},
		{"the exact name first", holding(`{"TraceParent":"` + other + `","traceparent":"` + parent + `"}`), tracecontext.TraceContext{Traceparent: parent}},
		{"a long s is no s", holding(`{"traceparent":"` + parent + `","trace` + "\u017f" + `tate":"a=1"}`), tracecontext.TraceContext{Traceparent: parent}},
		{"the key in another case is another field", strings.Replace(holding(`{"traceparent":"`+parent+`"}`), "x-vendor", "X-Vendor", 1), tracecontext.TraceContext{}},

		{"tracestate over 512 bytes is kept", holding(`{"traceparent":"` + parent + `","tracestate":"` + long + `"}`), tracecontext.TraceContext{Traceparent: parent, Tracestate: long}},
		{"tracestate malformed is kept", holding(`{"traceparent":"` + parent + `","tracestate":",=;\n"}`), tracecontext.TraceContext{Traceparent: parent, Tracestate: ",=;\n"}},
		{"tracestate a number costs nothing", holding(`{"traceparent":"` + parent + `","tracestate":1}`), tracecontext.TraceContext{Traceparent: parent}},
		{"tracestate an object costs nothing", holding(`{"traceparent":"` + parent + `","tracestate":{"a":"1"}}`), tracecontext.TraceContext{Traceparent: parent}},
		{"tracestate null costs nothing", holding(`{"traceparent":"` + parent + `","tracestate":null}`), tracecontext.TraceContext{Traceparent: parent}},
		{"tracestate empty costs nothing", holding(`{"traceparent":"` + parent + `","tracestate":""}`), tracecontext.TraceContext{Traceparent: parent}},
		{"tracestate with half of a surrogate pair costs nothing", holding(`{"traceparent":"` + parent + `","tracestate":"\ud83d"}`), tracecontext.TraceContext{Traceparent: parent}},

		{"nothing", `{"payload":{"extensions":{}},"extensions":{}}`, tracecontext.TraceContext{}},
		{"a tracestate alone", holding(`{"tracestate":"a=1"}`), tracecontext.TraceContext{}},
		{"payload no object", `{"payload":["` + parent + `"]}`, tracecontext.TraceContext{}},
		{"payload null", `{"payload":null}`, tracecontext.TraceContext{}},
		{"directly in the payload", `{"payload":{` + key + `{"traceparent":"` + parent + `"}}}`, tracecontext.TraceContext{}},
		{"extensions of the payload no object", `{"payload":{"extensions":[{` + key + `{"traceparent":"` + parent + `"}}]}}`, tracecontext.TraceContext{}},
	} {
		t.Run(row.rule, func(t *testing.T) {
			got, ok := tracecontext.Extract(decode(t, row.text))
			if diff := cmp.Diff(row.want, got); diff != "" || ok != (row.want != tracecontext.TraceContext{}) {
				t.Errorf("%v, -want +got\n%s", ok, diff)
			}
		})
	}
}

func TestExtractOfNothing(t *testing.T) {
	if tc, ok := tracecontext.Extract(nil); ok || tc != (tracecontext.TraceContext{}) {
		t.Errorf("nil: %+v, %v", tc, ok)
	}
	if _, ok := tracecontext.Extract(new(envelope.Envelope)); ok {
		t.Error("found something in the zero Envelope")
	}
}

func TestTraceID(t *testing.T) {
	const otherID = "0af7651916cd43dd8448eb211c80319c"
	carrier := key + `{"traceparent":"` + parent + `"}`
	for _, row := range []struct {
		rule, text, want string
	}{
		{"from the carrier", `{` + carrier + `}`, traceID},
		{"from the carrier of a higher version", `{` + strings.Replace(carrier, `"00-`, `"07-`, 1) + `}`, traceID},
		{"from trace_id", `{"trace_id":"` + otherID + `"}`, otherID},
		{"from a traceparent in trace_id", `{"trace_id":"` + other + `"}`, otherID},
		{"the traceparent wins", `{"trace_id":"` + otherID + `",` + carrier + `}`, traceID},
		{"the traceparent in the payload wins", `{"trace_id":"` + otherID + `","payload":{"extensions":{` + carrier + `}}}`, traceID},
		{"a malformed carrier does not win", `{"trace_id":"` + otherID + `",` + key + `{"traceparent":"x"}}`, otherID},
		{"trace_id in capitals", `{"trace_id":"` + strings.ToUpper(otherID) + `"}`, ""},
		{"trace_id all zero", `{"trace_id":"` + strings.Repeat("0", 32) + `"}`, ""},
		{"trace_id too short", `{"trace_id":"` + otherID[1:] + `"}`, ""},
		{"trace_id too long", `{"trace_id":"0` + otherID + `"}`, ""},
		{"trace_id a malformed traceparent", `{"trace_id":"ff` + other[2:] + `"}`, ""},
		{"neither", `{}`, ""},
	} {
		t.Run(row.rule, func(t *testing.T) {
			if got := tracecontext.TraceID(decode(t, row.text)); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
	if got := tracecontext.TraceID(nil); got != "" {
		t.Errorf("nil: %q", got)
	}
}

func TestInject(t *testing.T) {
	const top, nested, payload = tracecontext.TopLevel, tracecontext.Extensions, tracecontext.PayloadExtensions
	const state = `,"tracestate":"a=1"`
	tc := tracecontext.TraceContext{Traceparent: parent, Tracestate: "a=1"}
	fresh := key + `{"traceparent":"` + parent + `"` + state + `}`
	stale := key + `{"traceparent":"` + other + `"}`
	for _, row := range []struct {
		rule  string
		text  string
		place tracecontext.Place
		want  string
	}{
		{"into nothing, top level", `{ "type":"x" }`, top, `{ "type":"x" ,` + fresh + `}`},
		{"into nothing, extensions", `{ "type":"x" }`, nested, `{ "type":"x" ,"extensions":{` + fresh + `}}`},
		{"into nothing, payload", `{ "type":"x" }`, payload, `{ "type":"x" ,"payload":{"extensions":{` + fresh + `}}}`},
		{"into an empty payload", `{"payload":{ }}`, payload, `{"payload":{ "extensions":{` + fresh + `}}}`},
		{"into extensions that hold others", `{"extensions":{ "a" : 1.0 , "b":"\u003c" }, "type":"x"}`, nested, `{"extensions":{ "a" : 1.0 , "b":"\u003c" ,` + fresh + `}, "type":"x"}`},
		{"into a payload that holds others", `{"payload": { "n":1e400 , "extensions" : {"a":1} ,"z":"\ud83d" } }`, payload, `{"payload": { "n":1e400 , "extensions" : {"a":1,` + fresh + `} ,"z":"\ud83d" } }`},

		{"in place, top level", `{` + stale + `, "type":"x"}`, top, `{` + fresh + `, "type":"x"}`},
		{"in place, extensions", `{"extensions":{` + stale + ` ,"a":1}}`, nested, `{"extensions":{` + fresh + ` ,"a":1}}`},
		{"in place, payload", `{"payload":{"extensions":{` + stale + ` ,"a":1}}}`, payload, `{"payload":{"extensions":{` + fresh + ` ,"a":1}}}`},
		{"in place, its name escaped", `{"x-vendor.opentelemetry.tr\u0061cecontext":{"tracep\u0061rent":"` + other + `"}}`, top, `{"x-vendor.opentelemetry.tr\u0061cecontext":{"tracep\u0061rent":"` + parent + `"` + state + `}}`},

		{"from extensions to top level", `{"extensions":{"a":1, ` + stale + ` , "b":2}}`, top, `{"extensions":{"a":1 , "b":2},` + fresh + `}`},
		{"from the payload to top level", `{"payload":{"n": 1.50,"extensions":{"a":1, ` + stale + `} ,"z":"\u003c"}}`, top, `{"payload":{"n": 1.50,"extensions":{"a":1} ,"z":"\u003c"},` + fresh + `}`},
		{"from top level to the payload", `{"payload":{"agent":"echo"},` + stale + `}`, payload, `{"payload":{"agent":"echo","extensions":{` + fresh + `}}}`},
		{"from everywhere to top level", `{` + stale + `,"extensions":{` + stale + `},"payload":{"extensions":{` + stale + `}}}`, top, `{` + fresh + `,"extensions":{},"payload":{"extensions":{}}}`},
		{"from everywhere to extensions", `{` + stale + `,"extensions":{` + stale + `},"payload":{"extensions":{` + stale + `}}}`, nested, `{"extensions":{` + fresh + `},"payload":{"extensions":{}}}`},
		{"from everywhere to the payload", `{` + stale + `,"extensions":{` + stale + `},"payload":{"extensions":{` + stale + `}}}`, payload, `{"extensions":{},"payload":{"extensions":{` + fresh + `}}}`},
		{"malformed ones go too", `{"extensions":{` + key + `null},"payload":{"extensions":{` + key + `7}}}`, top, `{"extensions":{},"payload":{"extensions":{}},` + fresh + `}`},
		{"all of a name that is there twice go", `{"payload":{"extensions":{` + key + `1,"a":1,` + key + `2},"extensions":{` + key + `3}}}`, top, `{"payload":{"extensions":{"a":1},"extensions":{}},` + fresh + `}`},
		{"an escaped one in the payload goes", `{"payload":{"ext\u0065nsions":{"x-vendor.opentelemetry.tr\u0061cecontext":1}}}`, top, `{"payload":{"ext\u0065nsions":{}},` + fresh + `}`},
		{"a payload that only names it keeps its bytes", `{"payload":{"note":"` + tracecontext.Key + `\u0021" , "extensions":[` + "1" + `]}}`, top, `{"payload":{"note":"` + tracecontext.Key + `\u0021" , "extensions":[1]},` + fresh + `}`},
		{"a payload that is no object keeps its bytes", `{"payload":[ {"extensions":{` + stale + `}} ]}`, top, `{"payload":[ {"extensions":{` + stale + `}} ],` + fresh + `}`},

		{"unknown fields survive", `{` + key + `{ "baggage":"a=b" , "traceparent" : "` + other + `", "n": 1.0 }}`, top, `{` + key + `{ "baggage":"a=b" , "traceparent" : "` + parent + `", "n": 1.0 ` + state + `}}`},
		{"unknown fields move along", `{"payload":{"extensions":{` + key + `{"baggage":"a=b","traceparent":"` + other + `"}}}}`, nested, `{"payload":{"extensions":{}},"extensions":{` + key + `{"baggage":"a=b","traceparent":"` + parent + `"` + state + `}}}`},
		{"those of the value that is read", `{` + key + `{"baggage":"no"},"extensions":{` + key + `{"baggage":"yes","traceparent":"` + other + `"}}}`, top, `{` + key + `{"baggage":"yes","traceparent":"` + parent + `"` + state + `},"extensions":{}}`},
		{"of a value without a traceparent too", `{` + key + `{"baggage":"a=b"}}`, top, `{` + key + `{"baggage":"a=b","traceparent":"` + parent + `"` + state + `}}`},
		{"one name is left for every reader", `{` + key + `{"Traceparent":"` + other + `","traceparent":"` + other + `","TRACESTATE":"b","TraceState":"c"}}`, top, `{` + key + `{"traceparent":"` + parent + `","TRACESTATE":"a=1"}}`},
		{"trace_id stays", `{"trace_id":"` + strings.Repeat("1", 32) + `"}`, top, `{"trace_id":"` + strings.Repeat("1", 32) + `",` + fresh + `}`},
	} {
		t.Run(row.rule, func(t *testing.T) {
			env := decode(t, row.text)
			shared := *env // the same map and raw values
			before := maps.Clone(env.Extensions)
			if err := tracecontext.Inject(env, tc, row.place); err != nil {
				t.Fatal(err)
			}
			if got := encode(t, env); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
			if got, ok := tracecontext.Extract(env); !ok || got != tc {
				t.Errorf("extracted %+v, %v", got, ok)
			}
			if diff := cmp.Diff(before, shared.Extensions); diff != "" {
				t.Errorf("a map that was shared changed: -want +got\n%s", diff)
			}
			if got := encode(t, &shared); got != row.text {
				t.Errorf("a copy that was shared changed: %s", got)
			}
		})
	}
}

func TestInjectWithoutTracestate(t *testing.T) {
	env := decode(t, `{`+key+`{"tracestate":"old=1","traceparent":"`+other+`","Tracestate":"old=2","x":1}}`)
	if err := tracecontext.Inject(env, tracecontext.TraceContext{Traceparent: parent}, tracecontext.TopLevel); err != nil {
		t.Fatal(err)
	}
	if got, want := encode(t, env), `{`+key+`{"traceparent":"`+parent+`","x":1}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestInjectErrors(t *testing.T) {
	tc := tracecontext.TraceContext{Traceparent: parent}
	for _, row := range []struct {
		rule, text string
		tc         tracecontext.TraceContext
		place      tracecontext.Place
		malformed  bool
		want       string
	}{
		{"no traceparent", `{}`, tracecontext.TraceContext{Tracestate: "a=1"}, tracecontext.TopLevel, true, "traceparent: "},
		{"tracestate not UTF-8", `{}`, tracecontext.TraceContext{Traceparent: parent, Tracestate: "\xff"}, tracecontext.TopLevel, true, "not valid UTF-8"},
		{"more parts not UTF-8", `{}`, tracecontext.TraceContext{Traceparent: "01" + parent[2:] + "-\xff"}, tracecontext.TopLevel, true, "not valid UTF-8"},
		{"extensions no object", `{"extensions":[]}`, tc, tracecontext.Extensions, false, "tracecontext: extensions: "},
		{"payload no object", `{"payload":"secret"}`, tc, tracecontext.PayloadExtensions, false, "tracecontext: payload.extensions: the payload is not an object"},
		{"payload null", `{"payload":null}`, tc, tracecontext.PayloadExtensions, false, "the payload is not an object"},
		{"extensions of the payload no object", `{"payload":{"extensions":"secret"}}`, tc, tracecontext.PayloadExtensions, false, "tracecontext: payload.extensions: "},
		{"extensions twice in the payload", `{"payload":{"extensions":{},"extensions":{}}}`, tc, tracecontext.PayloadExtensions, false, "tracecontext: payload.extensions: the payload has the field extensions twice"},
		{"no such place", `{}`, tc, 3, false, "tracecontext: Place(3): no such place"},
		{"no such place either", `{}`, tc, -1, false, "tracecontext: Place(-1): no such place"},
	} {
		t.Run(row.rule, func(t *testing.T) {
			text := strings.TrimSuffix(row.text, "}")
			if text != "{" {
				text += ","
			}
			text += key + `{"traceparent":"` + other + `"}}`
			env := decode(t, text)
			err := tracecontext.Inject(env, row.tc, row.place)
			if err == nil || errors.Is(err, tracecontext.ErrMalformed) != row.malformed || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("error %v, want one that says %q", err, row.want)
			}
			if got := encode(t, env); got != text {
				t.Errorf("the message changed: %s", got)
			}
		})
	}
	if err := tracecontext.Inject(nil, tc, tracecontext.TopLevel); err == nil {
		t.Error("no error for a nil Envelope")
	}
}

// A program may fill an Envelope with what is no JSON; encoding reports that, not this package.
func TestInvalidRawValues(t *testing.T) {
	env := &envelope.Envelope{Payload: []byte(`{"extensions":{` + key), Extensions: map[string]json.RawMessage{"extensions": json.RawMessage(`{`), tracecontext.Key: nil}}
	if _, ok := tracecontext.Extract(env); ok {
		t.Error("found a trace context")
	}
	if err := tracecontext.Inject(env, tracecontext.TraceContext{Traceparent: parent}, tracecontext.TopLevel); err != nil {
		t.Error(err)
	}
	if err := tracecontext.Inject(env, tracecontext.TraceContext{Traceparent: parent}, tracecontext.PayloadExtensions); err == nil {
		t.Error("no error for a payload that is no JSON")
	}
	if _, err := env.AppendJSON(nil); err == nil {
		t.Error("no error from encoding")
	}
}

func TestInjectIntoANewMessage(t *testing.T) {
	env, err := envelope.New("job.submit", map[string]string{"agent": "echo"})
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range []tracecontext.Place{tracecontext.PayloadExtensions, tracecontext.Extensions, tracecontext.TopLevel} {
		if err := tracecontext.Inject(env, tracecontext.TraceContext{Traceparent: parent}, place); err != nil {
			t.Fatal(err)
		}
		text := encode(t, env)
		if strings.Count(text, tracecontext.Key) != 1 {
			t.Errorf("%v: %s", place, text)
		}
		if got := tracecontext.TraceID(decode(t, text)); got != traceID {
			t.Errorf("%v: read back %q", place, got)
		}
	}
}

// The TypeScript client and runtime of the recording put the context inside extensions and its trace id into trace_id.
func TestRecordedSession(t *testing.T) {
	file, err := os.Open("../testdata/recordings/ts-tracing.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := envelope.NewReader(file)
	traced := 0
	for {
		env, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(encode(t, env), tracecontext.Key) {
			continue
		}
		traced++
		if tc, ok := tracecontext.Extract(env); !ok || tc.Traceparent[3:35] != env.TraceID || tracecontext.TraceID(env) != env.TraceID {
			t.Errorf("message %s: %+v, trace_id %q", env.ID, tc, env.TraceID)
		}
		before := encode(t, env)
		carrier := tracecontext.Carrier(env)
		was := carrier.Get("traceparent")
		carrier.Set("traceparent", parent)
		if got, want := encode(t, env), strings.Replace(before, was, parent, 1); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if traced < 3 {
		t.Errorf("only %d messages of the recording have a trace context", traced)
	}
}

// The form of a traceparent again; what is refused besides stands beside it.
var oracle = regexp.MustCompile(`\A(?s:00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}|(?:0[1-9a-f]|[1-9a-f][0-9a-f])-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?)\z`)

func FuzzTraceparent(f *testing.F) {
	for _, row := range traceparents {
		f.Add(row.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want := oracle.MatchString(text) && !strings.HasPrefix(text, "ff") && text[3:35] != strings.Repeat("0", 32) && text[36:52] != strings.Repeat("0", 16)
		env := decode(t, `{"type":"x"}`)
		carrier := tracecontext.Carrier(env)
		carrier.Set("traceparent", text)
		if carrier.Get("traceparent") != text {
			want = false // not UTF-8, so not set
		}
		tc, ok := tracecontext.Extract(env)
		if ok != want || ok && tc.Traceparent != text {
			t.Fatalf("%q: got %+v, %v, want %v", text, tc, ok, want)
		}
		id := ""
		if want {
			id = text[3:35]
		}
		if got := tracecontext.TraceID(env); got != id {
			t.Fatalf("%q: trace id %q", text, got)
		}
		if err := tracecontext.Inject(decode(t, `{}`), tracecontext.TraceContext{Traceparent: text}, tracecontext.Extensions); (err == nil) != want {
			t.Fatalf("%q: Inject says %v, want %v", text, err, want)
		}
	})
}

// FuzzMessage holds the laws of reading and writing over whole messages.
func FuzzMessage(f *testing.F) {
	f.Add(holding(`{"traceparent":"`+parent+`","baggage":"a=b"}`), uint8(0), "baggage", "c=d")
	f.Add(`{"extensions":{`+key+`{"Traceparent":"`+parent+`"}},"payload":{"extensions":{`+key+`1}}}`, uint8(2), "TRACESTATE", "a=1")
	f.Add(`{"payload":{"\u0065xtensions":{`+key+`{"traceparent":"`+other+`"},"a":1,"a":2},"extensions":{}}}`, uint8(1), "traceparent", "x")
	f.Add(`{"payload":{"a":"\ud83d"},"extensions":7,`+key+`{"a":1,"a":2}}`, uint8(1), "é", "É")
	f.Fuzz(func(t *testing.T, text string, place uint8, name, value string) {
		env, err := envelope.Decode([]byte(text))
		if err != nil {
			return
		}
		shared := *env
		tc := tracecontext.TraceContext{Traceparent: parent, Tracestate: "a=1"}
		if err := tracecontext.Inject(env, tc, tracecontext.Place(place%3)); err != nil {
			if !env.Equal(shared) {
				t.Fatal("changed beside an error")
			}
		} else if got, ok := tracecontext.Extract(decode(t, encode(t, env))); !ok || got != tc {
			t.Fatalf("%s: read back %+v, %v", text, got, ok)
		}
		carrier := tracecontext.Carrier(env)
		want := value
		if !utf8.ValidString(name) || !utf8.ValidString(value) {
			want = carrier.Get(name)
		}
		carrier.Set(name, value)
		if got := carrier.Get(name); got != want {
			t.Fatalf("set %q to %q, got %q, want %q", name, value, got, want)
		}
		again := tracecontext.Carrier(decode(t, encode(t, env)))
		if diff := cmp.Diff(carrier.Keys(), again.Keys()); diff != "" {
			t.Fatal(diff)
		}
		for _, name := range again.Keys() {
			if got, want := again.Get(name), carrier.Get(name); got != want {
				t.Fatalf("%q: got %q, want %q", name, got, want)
			}
		}
		if encode(t, &shared) != text {
			t.Fatalf("%s: a copy that was shared became %s", text, encode(t, &shared))
		}
	})
}

func TestPlaceString(t *testing.T) {
	for place, want := range map[tracecontext.Place]string{tracecontext.TopLevel: "top level", tracecontext.Extensions: "extensions",
		tracecontext.PayloadExtensions: "payload.extensions", 3: "Place(3)"} {
		if got := place.String(); got != want {
			t.Errorf("%d: %q, want %q", place, got, want)
		}
	}
}
