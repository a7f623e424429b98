package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// A collector sends spans to an OpenTelemetry collector as JSON over HTTP (OTLP/HTTP). The exporter of the
// OpenTelemetry project does the same and much more, and brings gRPC and Protocol Buffers with it: most of the size
// of this program and of the time to build it. Without retries: a batch that the collector does not take is lost, and
// the log says so.
type collector struct {
	url    string
	header http.Header
	client *http.Client
}

// collectorURL is where the environment sends traces, or "".
func collectorURL(getenv func(string) string) string {
	if u := getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"); u != "" {
		return u
	}
	if u := getenv("OTEL_EXPORTER_OTLP_ENDPOINT"); u != "" {
		return strings.TrimSuffix(u, "/") + "/v1/traces"
	}
	return ""
}

// newCollector takes headers in the environment's form: key=value pairs, percent-encoded, with commas between.
func newCollector(endpoint, headers string) *collector {
	c := &collector{url: endpoint, header: http.Header{}, client: &http.Client{Timeout: 10 * time.Second}}
	for pair := range strings.SplitSeq(headers, ",") {
		name, value, _ := strings.Cut(pair, "=")
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if plain, err := url.PathUnescape(strings.TrimSpace(value)); err == nil {
			c.header.Set(name, plain)
		}
	}
	c.header.Set("Content-Type", "application/json")
	return c
}

// The JSON form of OTLP: names in camel case, ids in hexadecimal, 64-bit numbers as texts.
type (
	otlpValue struct {
		String *string `json:"stringValue,omitempty"`
		Int    *string `json:"intValue,omitempty"`
	}
	otlpAttribute struct {
		Key   string    `json:"key"`
		Value otlpValue `json:"value"`
	}
	otlpStatus struct {
		Code    int    `json:"code,omitempty"`
		Message string `json:"message,omitempty"`
	}
	otlpSpan struct {
		TraceID    string          `json:"traceId"`
		SpanID     string          `json:"spanId"`
		TraceState string          `json:"traceState,omitempty"`
		Parent     string          `json:"parentSpanId,omitempty"`
		Flags      uint32          `json:"flags"`
		Name       string          `json:"name"`
		Kind       int             `json:"kind"`
		Start      string          `json:"startTimeUnixNano"`
		End        string          `json:"endTimeUnixNano"`
		Attributes []otlpAttribute `json:"attributes"`
		Status     otlpStatus      `json:"status"`
	}
	otlpScope struct {
		Name string `json:"name"`
	}
	otlpScopeSpans struct {
		Scope otlpScope  `json:"scope"`
		Spans []otlpSpan `json:"spans"`
	}
	otlpResource struct {
		Attributes []otlpAttribute `json:"attributes"`
	}
	otlpResourceSpans struct {
		Resource   otlpResource     `json:"resource"`
		ScopeSpans []otlpScopeSpans `json:"scopeSpans"`
	}
	otlpRequest struct {
		ResourceSpans []otlpResourceSpans `json:"resourceSpans"`
	}
)

const (
	otlpInternal = 1 // SPAN_KIND_INTERNAL
	otlpError    = 2 // STATUS_CODE_ERROR
)

// ExportSpans sends one batch; all spans are of this program's one resource and scope.
func (c *collector) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	out := make([]otlpSpan, len(spans))
	for i, s := range spans {
		out[i] = otlpSpan{
			TraceID:    s.SpanContext().TraceID().String(),
			SpanID:     s.SpanContext().SpanID().String(),
			TraceState: s.SpanContext().TraceState().String(),
			Flags:      uint32(s.SpanContext().TraceFlags()),
			Name:       s.Name(),
			Kind:       otlpInternal,
			Start:      strconv.FormatInt(s.StartTime().UnixNano(), 10),
			End:        strconv.FormatInt(s.EndTime().UnixNano(), 10),
			Attributes: otlpAttributes(s.Attributes()),
		}
		if s.Parent().IsValid() {
			out[i].Parent = s.Parent().SpanID().String()
		}
		if s.Status().Code == codes.Error {
			out[i].Status = otlpStatus{Code: otlpError, Message: s.Status().Description}
		}
	}
	body, err := json.Marshal(otlpRequest{[]otlpResourceSpans{{
		Resource:   otlpResource{otlpAttributes(spans[0].Resource().Attributes())},
		ScopeSpans: []otlpScopeSpans{{otlpScope{spans[0].InstrumentationScope().Name}, out}},
	}}})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header = c.header.Clone()
	resp, err := c.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be used again
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answered %s to %d spans", resp.Status, len(spans))
	}
	return nil
}

// Shutdown closes idle connections.
func (c *collector) Shutdown(context.Context) error {
	c.client.CloseIdleConnections()
	return nil
}

func otlpAttributes(attrs []attribute.KeyValue) []otlpAttribute {
	out := make([]otlpAttribute, 0, len(attrs))
	for _, a := range attrs {
		text := a.Value.String()
		if a.Value.Type() == attribute.INT64 {
			out = append(out, otlpAttribute{string(a.Key), otlpValue{Int: &text}})
		} else {
			out = append(out, otlpAttribute{string(a.Key), otlpValue{String: &text}})
		}
	}
	return out
}
