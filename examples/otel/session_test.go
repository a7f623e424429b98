package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/tracecontext"
)

var _ propagation.TextMapCarrier = tracecontext.TextMap{}

// chain is each span of a session, by service and name, with the one that it is a child of.
var chain = []struct{ service, name, parent string }{
	{"client", "job.submit", ""},
	{"proxy", "job.submit forwarded", "job.submit"},
	{"runtime", "job run", "job.submit forwarded"},
	{"proxy", "job.result forwarded", "job run"},
	{"client", "job.result received", "job.result forwarded"},
}

func TestOneTraceThroughEveryPlace(t *testing.T) {
	where := map[tracecontext.Place]func(*envelope.Envelope) bool{
		tracecontext.TopLevel:          func(e *envelope.Envelope) bool { return e.Extensions[tracecontext.Key] != nil },
		tracecontext.Extensions:        func(e *envelope.Envelope) bool { return e.Extensions["extensions"] != nil },
		tracecontext.PayloadExtensions: func(e *envelope.Envelope) bool { return strings.Contains(string(e.Payload), tracecontext.Key) },
	}
	for place, there := range where {
		t.Run(place.String(), func(t *testing.T) {
			exporter := tracetest.NewInMemoryExporter()
			var hops, messages []string
			err := session(context.Background(), exporter, place, func(hop, message string) {
				hops = append(hops, hop)
				messages = append(messages, message)
			})
			if err != nil {
				t.Fatal(err)
			}

			spans := make(map[string]tracetest.SpanStub)
			for _, s := range exporter.GetSpans() {
				spans[s.Name] = s
			}
			if len(spans) != len(chain) || len(exporter.GetSpans()) != len(chain) {
				t.Fatalf("%d spans, want %d", len(exporter.GetSpans()), len(chain))
			}
			root := spans["job.submit"].SpanContext
			for _, want := range chain {
				span, parent := spans[want.name], spans[want.parent]
				if got, _ := span.Resource.Set().Value("service.name"); got.AsString() != want.service {
					t.Errorf("%s: service %q, want %q", want.name, got.AsString(), want.service)
				}
				if span.SpanContext.TraceID() != root.TraceID() || !span.SpanContext.IsValid() {
					t.Errorf("%s: trace %v, want %v", want.name, span.SpanContext.TraceID(), root.TraceID())
				}
				if span.Parent.SpanID() != parent.SpanContext.SpanID() {
					t.Errorf("%s: child of %v, want %v", want.name, span.Parent.SpanID(), parent.SpanContext.SpanID())
				}
				if remote := want.parent != ""; span.Parent.IsRemote() != remote {
					t.Errorf("%s: the parent is remote: %v", want.name, !remote)
				}
			}
			run := spans["job run"]
			if got := attributes(run)["tenant"]; got != "acme" {
				t.Errorf("the runtime saw the tenant %q", got)
			}

			if got, want := strings.Join(hops, " "), "client → proxy: proxy → runtime: runtime → proxy: proxy → client:"; got != want {
				t.Fatalf("hops %s, want %s", got, want)
			}
			for i, message := range messages {
				env, err := envelope.Decode([]byte(message))
				if err != nil {
					t.Fatal(err)
				}
				if err := env.Validate(); err != nil {
					t.Errorf("%s %v", hops[i], err)
				}
				if strings.Count(message, tracecontext.Key) != 1 || !there(env) {
					t.Errorf("%s the context is not in its place alone: %s", hops[i], message)
				}
				tc, ok := tracecontext.Extract(env)
				sent := spans[chain[i].name].SpanContext
				if want := fmt.Sprintf("00-%s-%s-01", sent.TraceID(), sent.SpanID()); !ok || tc.Traceparent != want {
					t.Errorf("%s traceparent %s, want %s", hops[i], tc.Traceparent, want)
				}
			}
			// The proxy changes the one text and no other byte.
			for _, i := range []int{0, 2} {
				before, after := spans[chain[i].name].SpanContext.SpanID(), spans[chain[i+1].name].SpanContext.SpanID()
				if want := strings.Replace(messages[i], before.String(), after.String(), 1); messages[i+1] != want {
					t.Errorf("%s\ngot  %swant %s", hops[i+1], messages[i+1], want)
				}
			}
		})
	}
}

func attributes(span tracetest.SpanStub) map[attribute.Key]string {
	m := make(map[attribute.Key]string)
	for _, a := range span.Attributes {
		m[a.Key] = a.Value.AsString()
	}
	return m
}

func TestPropagatorsReadAndWriteThroughCarrier(t *testing.T) {
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	const field = `"` + tracecontext.Key + `":`
	for _, row := range []struct {
		rule, message string
		valid         bool
		state         string
	}{
		{"top level", `{` + field + `{"traceparent":"` + parent + `","tracestate":"acme=1"}}`, true, "acme=1"},
		{"extensions", `{"extensions":{` + field + `{"traceparent":"` + parent + `","tracestate":"acme=1"}}}`, true, "acme=1"},
		{"payload.extensions", `{"payload":{"extensions":{` + field + `{"traceparent":"` + parent + `","tracestate":"acme=1"}}}}`, true, "acme=1"},
		{"malformed at top level falls through", `{` + field + `{"traceparent":"x"},"extensions":{` + field + `{"traceparent":"` + parent + `"}}}`, true, ""},
		{"a malformed tracestate costs nothing", `{` + field + `{"traceparent":"` + parent + `","tracestate":",=,"}}`, true, ""},
		{"names in another case", `{` + field + `{"TraceParent":"` + parent + `","TraceState":"acme=1"}}`, true, "acme=1"},
		{"malformed everywhere", `{` + field + `{"traceparent":"ff` + parent[2:] + `"}}`, false, ""},
		{"nothing", `{}`, false, ""},
	} {
		t.Run(row.rule, func(t *testing.T) {
			env, err := envelope.Decode([]byte(row.message))
			if err != nil {
				t.Fatal(err)
			}
			carrier := tracecontext.Carrier(env)
			ctx := propagation.TraceContext{}.Extract(context.Background(), carrier)
			got := trace.SpanContextFromContext(ctx)
			if got.IsValid() != row.valid || got.TraceState().String() != row.state {
				t.Fatalf("read %+v", got)
			}
			if row.valid && "00-"+got.TraceID().String()+"-"+got.SpanID().String()+"-01" != parent {
				t.Errorf("read %+v", got)
			}

			tracer := sdktrace.NewTracerProvider().Tracer("test")
			ctx, span := tracer.Start(ctx, "next")
			defer span.End()
			propagation.TraceContext{}.Inject(ctx, carrier)
			tc, ok := tracecontext.Extract(env)
			if want := span.SpanContext(); !ok || tc.Traceparent != fmt.Sprintf("00-%s-%s-01", want.TraceID(), want.SpanID()) {
				t.Errorf("wrote %+v, want %v", tc, want)
			}
			if row.state != "" && tc.Tracestate != row.state {
				t.Errorf("tracestate %q, want %q", tc.Tracestate, row.state)
			}
		})
	}
}

func TestBaggageThroughCarrier(t *testing.T) {
	env := new(envelope.Envelope)
	member, err := baggage.NewMember("tenant", "acme")
	if err != nil {
		t.Fatal(err)
	}
	bag, err := baggage.New(member)
	if err != nil {
		t.Fatal(err)
	}
	propagation.Baggage{}.Inject(baggage.ContextWithBaggage(context.Background(), bag), tracecontext.Carrier(env))
	got := baggage.FromContext(propagation.Baggage{}.Extract(context.Background(), tracecontext.Carrier(env)))
	if got.String() != "tenant=acme" {
		t.Errorf("read back %q", got)
	}
}

// A hop that fails ends the session with its error, and nobody waits for ever.
func TestSessionThatFails(t *testing.T) {
	err := session(context.Background(), tracetest.NewInMemoryExporter(), tracecontext.Place(9), func(string, string) {})
	if err == nil || !strings.HasPrefix(err.Error(), "client: ") || !strings.Contains(err.Error(), "no such place") {
		t.Errorf("got %v", err)
	}
}

func TestForwardEndsAtABadLine(t *testing.T) {
	var out strings.Builder
	in := envelope.NewReader(strings.NewReader(`{"type":"x"}` + "\n[]\n"))
	err := forward(context.Background(), newTracer("proxy", tracetest.NewInMemoryExporter()), in, envelope.NewWriter(&out))
	if !errors.Is(err, envelope.ErrSyntax) || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("got %v after %q", err, out.String())
	}
}
