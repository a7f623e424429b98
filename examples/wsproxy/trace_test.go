package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	parent  = "00-" + traceID + "-00f067aa0ba902b7-01"
)

// Every message has one span, which stands between its sender's and its receiver's: only the traceparent changes, in
// the place where the peer has it.
func TestTraceContinues(t *testing.T) {
	noGoroutineLeft(t)
	recorder := tracetest.NewSpanRecorder()
	tr := newTracerTo(discardLog, recorder)
	target := startTarget(t, nil, echo)
	p := startTracedProxy(t, tr, target.url(""))
	c := dial(t, p.url("/"), nil)
	for _, row := range []struct {
		rule, message string
		continues     bool
	}{
		{"at top level", `{"id":"m1", "type":"job.submit","x-vendor.opentelemetry.tracecontext":{"traceparent":"` + parent + `","tracestate":"acme=1"},"payload":{"n":1.0}}`, true},
		{"inside extensions", `{"type":"job.submit","payload":{},"extensions":{"optional":true,"x-vendor.opentelemetry.tracecontext":{"traceparent":"` + parent + `"}}}`, true},
		{"inside the payload", `{"type":"job.submit","payload":{"agent":"a","extensions":{"x-vendor.opentelemetry.tracecontext":{"traceparent":"` + parent + `"}}}}`, true},
		{"none", `{"type":"job.submit","payload":{"n":1.0}}`, false},
		{"malformed", `{"type":"job.submit","x-vendor.opentelemetry.tracecontext":{"traceparent":"00-0"}}`, false},
	} {
		t.Run(row.rule, func(t *testing.T) {
			before := len(recorder.Ended())
			send(t, c, row.message)
			got := receive(t, c)
			var spans []sdktrace.ReadOnlySpan
			for len(spans) < 2 { // they end just after their messages are read
				time.Sleep(time.Millisecond)
				spans = recorder.Ended()[before:]
			}
			if len(spans) != 2 {
				t.Fatalf("%d spans for a message to the target and one back", len(spans))
			}
			there, back := spans[0], spans[1]
			if back.Attributes()[0].Value.AsString() == toTarget {
				there, back = back, there
			}
			if !row.continues {
				if got != row.message {
					t.Errorf("the message came back as %s", got)
				}
				if there.Parent().IsValid() || back.Parent().IsValid() {
					t.Error("a span has a parent that no message names")
				}
				return
			}
			if there.SpanContext().TraceID().String() != traceID || there.Parent().SpanID().String() != parent[36:52] {
				t.Errorf("the first span is %v under %v", there.SpanContext(), there.Parent())
			}
			if back.SpanContext().TraceID().String() != traceID || back.Parent().SpanID() != there.SpanContext().SpanID() {
				t.Errorf("the second span is %v under %v, want it under the first", back.SpanContext(), back.Parent())
			}
			want := strings.Replace(row.message, parent, "00-"+traceID+"-"+back.SpanContext().SpanID().String()+"-01", 1)
			if got != want {
				t.Errorf("the message came back as\n%s, want\n%s", got, want)
			}
		})
	}
	if err := c.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Error(err)
	}
}

// Spans reach a collector in OTLP's JSON form, and hold nothing of payloads and extensions.
func TestCollector(t *testing.T) {
	noGoroutineLeft(t)
	type received struct {
		path, contentType, auth string
		body                    []byte
	}
	got := make(chan received, 1)
	addr := startServer(t, func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- received{r.URL.Path, r.Header.Get("Content-Type"), r.Header.Get("Authorization"), body}
	})
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+addr+"/")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20abc, ,x=%zz")
	t.Setenv("OTEL_SERVICE_NAME", "edge-proxy")
	tr := newTracer(discardLog)
	target := startTarget(t, nil, echo)
	p := startTracedProxy(t, tr, target.url(""))
	c := dial(t, p.url("/"), nil)
	send(t, c, `{"id":"m1","type":"job.submit","payload":"hunter2","x-vendor.opentelemetry.tracecontext":{"traceparent":"`+parent+`","tracestate":"acme=1"}}`)
	receive(t, c)
	p.stop()
	tr.shutdown(patient)
	r := <-got
	if r.path != "/v1/traces" || r.contentType != "application/json" || r.auth != "Bearer abc" {
		t.Errorf("request %s %s %s", r.path, r.contentType, r.auth)
	}
	if strings.Contains(string(r.body), "hunter2") {
		t.Errorf("a payload reached the collector: %s", r.body)
	}
	var request struct {
		ResourceSpans []struct {
			Resource   struct{ Attributes []otlpAttribute }
			ScopeSpans []struct {
				Scope struct{ Name string }
				Spans []struct {
					TraceID, SpanID, ParentSpanID, TraceState, Name string
					StartTimeUnixNano, EndTimeUnixNano              string
					Kind                                            int
					Attributes                                      []otlpAttribute
				}
			}
		}
	}
	if err := json.Unmarshal(r.body, &request); err != nil {
		t.Fatal(err)
	}
	resource := request.ResourceSpans[0]
	if service := resource.Resource.Attributes; !hasAttribute(service, "service.name", "edge-proxy") {
		t.Errorf("resource %s", r.body)
	}
	spans := resource.ScopeSpans[0].Spans
	if len(spans) != 2 {
		t.Fatalf("%d spans: %s", len(spans), r.body)
	}
	first, second := spans[0], spans[1]
	if hasAttribute(second.Attributes, "arcp.direction", toTarget) {
		first, second = second, first
	}
	if first.TraceID != traceID || first.ParentSpanID != parent[36:52] || first.TraceState != "acme=1" ||
		first.Name != "arcp job.submit" || first.Kind != 1 || first.StartTimeUnixNano > first.EndTimeUnixNano ||
		!hasAttribute(first.Attributes, "arcp.id", "m1") || !hasAttribute(first.Attributes, "arcp.direction", toTarget) {
		t.Errorf("span %+v", first)
	}
	if second.ParentSpanID != first.SpanID {
		t.Errorf("the way back is under %s, want %s", second.ParentSpanID, first.SpanID)
	}
}

func hasAttribute(attrs []otlpAttribute, key, value string) bool {
	for _, a := range attrs {
		if a.Key == key && a.Value.String != nil && *a.Value.String == value {
			return true
		}
	}
	return false
}

// A collector that says no costs spans and nothing else; the log says so.
func TestCollectorRefuses(t *testing.T) {
	noGoroutineLeft(t)
	addr := startServer(t, func(rw http.ResponseWriter, r *http.Request) { rw.WriteHeader(http.StatusTeapot) })
	c := newCollector("http://"+addr, "")
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(c))
	_, span := provider.Tracer("t").Start(t.Context(), "s")
	err := c.ExportSpans(t.Context(), []sdktrace.ReadOnlySpan{span.(sdktrace.ReadOnlySpan)})
	if err == nil || !strings.Contains(err.Error(), "418") {
		t.Errorf("error %v, want the status", err)
	}
	if err := c.ExportSpans(t.Context(), nil); err != nil {
		t.Errorf("no spans: %v", err)
	}
	if err := c.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestCollectorURL(t *testing.T) {
	for _, row := range []struct {
		rule string
		env  map[string]string
		want string
	}{
		{"none", nil, ""},
		{"of all signals", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:4318"}, "http://h:4318/v1/traces"},
		{"with a slash", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:4318/otlp/"}, "http://h:4318/otlp/v1/traces"},
		{"of traces, as it is", map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://h/t", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, "http://h/t"},
	} {
		if got := collectorURL(func(name string) string { return row.env[name] }); got != row.want {
			t.Errorf("%s: %q, want %q", row.rule, got, row.want)
		}
	}
}

// Without a collector a span is a line of the log.
func TestSpansInLog(t *testing.T) {
	noGoroutineLeft(t)
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	log := new(logBuffer)
	tr := newTracer(newLog(log))
	target := startTarget(t, nil, echo)
	p := startTracedProxy(t, tr, target.url(""))
	c := dial(t, p.url("/"), nil)
	send(t, c, `{"id":"m1","type":"job.submit","x-vendor.opentelemetry.tracecontext":{"traceparent":"`+parent+`"}}`)
	receive(t, c)
	p.stop()
	tr.shutdown(patient)
	log.wait(t, "msg=span", `name="arcp job.submit"`, "trace_id="+traceID, "parent_span_id="+parent[36:52],
		"arcp.id=m1", fmt.Sprintf("arcp.direction=%s", toClient))
}
