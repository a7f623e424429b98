package tracecontext_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/tracecontext"
)

func TestCarrierGetAndKeys(t *testing.T) {
	for _, row := range []struct {
		rule, text string
		name, want string
		keys       []string
	}{
		{"traceparent", holding(`{"traceparent":"` + parent + `"}`), "traceparent", parent, []string{"traceparent"}},
		{"without regard to case", holding(`{"TraceParent":"` + parent + `"}`), "traceparent", parent, []string{"TraceParent"}},
		{"the other way round", holding(`{"traceparent":"` + parent + `"}`), "Traceparent", parent, []string{"traceparent"}},
		{"the exact name first", holding(`{"Baggage":"1","baggage":"2","BAGGAGE":"3"}`), "BAGGAGE", "3", []string{"Baggage", "baggage", "BAGGAGE"}},
		{"or else the first in order", holding(`{"Baggage":"1","BAGGAGE":"3"}`), "baggage", "1", []string{"Baggage", "BAGGAGE"}},
		{"unknown names", holding(`{"traceparent":"` + parent + `","uberctx-z":"","baggage":"a=b"}`), "baggage", "a=b", []string{"traceparent", "uberctx-z", "baggage"}},
		{"escaped names", holding(`{"b\u0061ggage":"\u003c"}`), "baggage", "<", []string{"baggage"}},
		{"other types are no texts", holding(`{"a":1,"b":null,"c":{},"d":"\ud83d","e":"1"}`), "a", "", []string{"e"}},
		{"absent", holding(`{}`), "baggage", "", nil},
		{"a malformed traceparent as it came", holding(`{"traceparent":"x"}`), "traceparent", "x", []string{"traceparent"}},
		{"the value that Extract reads", `{` + key + `{"traceparent":"x","baggage":"no"},"extensions":{` + key + `{"traceparent":"` + parent + `"}}}`, "baggage", "", []string{"traceparent"}},
		{"in the payload", `{"payload":{"extensions":{` + key + `{"baggage":"a=b"}}}}`, "baggage", "a=b", []string{"baggage"}},
		{"no value", `{"type":"x"}`, "traceparent", "", nil},
		{"a value that is no object", holding(`"` + parent + `"`), "traceparent", "", nil},
	} {
		t.Run(row.rule, func(t *testing.T) {
			carrier := tracecontext.Carrier(decode(t, row.text))
			if got := carrier.Get(row.name); got != row.want {
				t.Errorf("Get: %q, want %q", got, row.want)
			}
			for range 5 {
				if got := carrier.Keys(); !slices.Equal(got, row.keys) {
					t.Fatalf("Keys: %q, want %q", got, row.keys)
				}
			}
		})
	}
}

func TestCarrierSet(t *testing.T) {
	for _, row := range []struct {
		rule, text  string
		name, value string
		want        string
	}{
		{"in place at top level", holding(`{ "traceparent" : "` + other + `" }`), "traceparent", parent, holding(`{ "traceparent" : "` + parent + `" }`)},
		{"in place inside extensions", `{"extensions":{"a":1.0,` + key + `{"traceparent":"` + other + `"}} }`, "traceparent", parent, `{"extensions":{"a":1.0,` + key + `{"traceparent":"` + parent + `"}} }`},
		{"in place inside the payload", `{"payload":{"n":1e400, "extensions":{` + key + `{"traceparent":"` + other + `"}}} }`, "traceparent", parent, `{"payload":{"n":1e400, "extensions":{` + key + `{"traceparent":"` + parent + `"}}} }`},
		{"in place inside extensions, with no traceparent yet", `{"extensions":{` + key + `{"baggage":"a=b"}}}`, "traceparent", parent, `{"extensions":{` + key + `{"baggage":"a=b","traceparent":"` + parent + `"}}}`},
		{"in place inside the payload, with no traceparent yet", `{"payload":{"extensions":{` + key + `{"baggage":"a=b"}}}}`, "traceparent", parent, `{"payload":{"extensions":{` + key + `{"baggage":"a=b","traceparent":"` + parent + `"}}}}`},
		{"in the first of two without one", `{"extensions":{` + key + `{"baggage":"a=b"}},"payload":{"extensions":{` + key + `{"baggage":"c=d"}}}}`, "traceparent", parent,
			`{"extensions":{` + key + `{"baggage":"a=b","traceparent":"` + parent + `"}},"payload":{"extensions":{}}}`},
		{"the name as it is written stays", holding(`{"TraceParent":"` + other + `"}`), "traceparent", parent, holding(`{"TraceParent":"` + parent + `"}`)},
		{"one name is left for every reader", holding(`{"TraceParent":"` + other + `","baggage":"a=b","traceparent":"` + other + `"}`), "traceparent", parent, holding(`{"baggage":"a=b","traceparent":"` + parent + `"}`)},
		{"a new name comes last", holding(`{"traceparent":"` + parent + `" }`), "Baggage", "a=b", holding(`{"traceparent":"` + parent + `" ,"Baggage":"a=b"}`)},
		{"other names stay", holding(`{"traceparent":"` + other + `","tracestate":"a=1"}`), "traceparent", parent, holding(`{"traceparent":"` + parent + `","tracestate":"a=1"}`)},
		{"the empty text", holding(`{"tracestate":"a=1"}`), "tracestate", "", holding(`{"tracestate":""}`)},
		{"minimal escapes", holding(`{}`), "x", "<\"\u2028\n\x01", holding(`{"x":"<\"` + "\u2028" + `\n\u0001"}`)},
		{"another type gives way", holding(`{"tracestate":{"a":1}}`), "tracestate", "a=1", holding(`{"tracestate":"a=1"}`)},
		{"where nothing is, at top level", `{"payload":{"extensions":{}},"extensions":{}}`, "traceparent", parent, `{"payload":{"extensions":{}},"extensions":{},` + key + `{"traceparent":"` + parent + `"}}`},
		{"a value that is no object gives way", holding(`[1]`), "traceparent", parent, holding(`{"traceparent":"` + parent + `"}`)},
		{"one value is left, in the place that was read", `{` + key + `{"traceparent":"x"},"extensions":{` + key + `{"traceparent":"` + other + `"}},"payload":{"extensions":{` + key + `{"traceparent":"` + other + `"}}}}`, "traceparent", parent,
			`{"extensions":{` + key + `{"traceparent":"` + parent + `"}},"payload":{"extensions":{}}}`},
		{"a name that is not UTF-8 is not set", holding(`{"a":"1"}`), "\xff", "x", holding(`{"a":"1"}`)},
		{"a text that is not UTF-8 is not set", holding(`{"a":"1"}`), "a", "\xff", holding(`{"a":"1"}`)},
	} {
		t.Run(row.rule, func(t *testing.T) {
			env := decode(t, row.text)
			shared := *env
			tracecontext.Carrier(env).Set(row.name, row.value)
			if got := encode(t, env); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
			if got := encode(t, &shared); got != row.text {
				t.Errorf("a copy that was shared changed: %s", got)
			}
		})
	}
}

func TestCarrierOfNothing(t *testing.T) {
	for _, carrier := range []tracecontext.TextMap{{}, tracecontext.Carrier(nil)} {
		carrier.Set("traceparent", parent)
		if carrier.Get("traceparent") != "" || carrier.Keys() != nil {
			t.Error("it holds something")
		}
	}
	env := new(envelope.Envelope)
	tracecontext.Carrier(env).Set("traceparent", parent)
	if got, want := encode(t, env), `{`+key+`{"traceparent":"`+parent+`"}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Messages that share a map and raw values may be changed by goroutines of their own.
func TestSharedMessagesInParallel(t *testing.T) {
	env := decode(t, `{"extensions":{`+key+`{"traceparent":"`+other+`"}},"payload":{"extensions":{`+key+`1}}}`)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			mine := *env
			carrier := tracecontext.Carrier(&mine)
			for j := range 50 {
				carrier.Set("baggage", fmt.Sprint(i, j))
				if got := carrier.Get("baggage"); got != fmt.Sprint(i, j) {
					t.Errorf("got %q", got)
				}
				if err := tracecontext.Inject(&mine, tracecontext.TraceContext{Traceparent: parent}, tracecontext.Place(j%3)); err != nil {
					t.Error(err)
				}
				if tc, ok := tracecontext.Extract(env); !ok || tc.Traceparent != other {
					t.Errorf("the shared message has %+v", tc)
				}
			}
		})
	}
	group.Wait()
}

func ExampleExtract() {
	env, err := envelope.Decode([]byte(`{"arcp":"1.1","type":"job.submit","extensions":{"x-vendor.opentelemetry.tracecontext":{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	tc, ok := tracecontext.Extract(env)
	fmt.Println(tc.Traceparent, ok)
	fmt.Println(tracecontext.TraceID(env))
	// Output:
	// 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 true
	// 4bf92f3577b34da6a3ce929d0e0e4736
}

func ExampleInject() {
	env, err := envelope.Decode([]byte(`{"type":"job.submit", "payload":{"agent":"echo", "budget":1.50}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	tc := tracecontext.TraceContext{Traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", Tracestate: "acme=1"}
	if err := tracecontext.Inject(env, tc, tracecontext.TopLevel); err != nil {
		fmt.Println(err)
		return
	}
	text, err := env.AppendJSON(nil)
	fmt.Println(string(text), err)
	// Output: {"type":"job.submit", "payload":{"agent":"echo", "budget":1.50},"x-vendor.opentelemetry.tracecontext":{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01","tracestate":"acme=1"}} <nil>
}

func ExampleCarrier() {
	env := new(envelope.Envelope)
	carrier := tracecontext.Carrier(env)
	carrier.Set("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	carrier.Set("baggage", "tenant=acme")
	fmt.Println(carrier.Keys(), carrier.Get("Baggage"))
	// Output: [traceparent baggage] tenant=acme
}
