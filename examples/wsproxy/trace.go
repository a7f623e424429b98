package main

import (
	"context"
	"log/slog"
	"os"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/tracecontext"
)

// A tracer records one OpenTelemetry span a message.
type tracer struct {
	provider *sdktrace.TracerProvider
	spans    trace.Tracer
	log      *slog.Logger
}

// propagator writes and reads traceparent and tracestate, as package tracecontext carries them.
var propagator = propagation.TraceContext{}

// newTracer sends spans to the collector that the environment names, as OpenTelemetry programs do, or else writes
// each to the log.
func newTracer(log *slog.Logger) *tracer {
	var exporter sdktrace.SpanExporter = logExporter{log}
	if url := collectorURL(os.Getenv); url != "" {
		exporter = newCollector(url, os.Getenv("OTEL_EXPORTER_OTLP_HEADERS"))
	}
	return newTracerTo(log, sdktrace.NewBatchSpanProcessor(exporter))
}

func newTracerTo(log *slog.Logger, to sdktrace.SpanProcessor) *tracer {
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("spans lost", "error", err) }))
	named := resource.NewSchemaless(attribute.String("service.name", "arcp-wsproxy"))
	if fromEnv, err := resource.New(context.Background(), resource.WithFromEnv()); err == nil {
		if merged, err := resource.Merge(named, fromEnv); err == nil {
			named = merged
		}
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(to), sdktrace.WithResource(named))
	return &tracer{
		provider: provider,
		spans:    provider.Tracer("github.com/arcp-go/arcp/examples/wsproxy"),
		log:      log,
	}
}

// shutdown sends the spans that are still held, for the grace time at most.
func (t *tracer) shutdown(grace time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		t.log.Warn("spans lost", "error", err)
	}
}

// start begins the span of one message. Where the message carries a trace context, the span is a child of its sender's
// and takes the sender's place in the message, so that the receiver's spans become children of this one; the message
// returned then differs from the one given in that value alone. A message without a trace context has a span of its
// own and stays as it is.
func (t *tracer) start(direction string, h envelope.Header, message []byte, o envelope.Options) (trace.Span, []byte) {
	ctx := context.Background()
	env, err := o.Decode(message)
	carried := false
	if err == nil {
		ctx = propagator.Extract(ctx, tracecontext.Carrier(env))
		carried = trace.SpanContextFromContext(ctx).IsValid()
	}
	ctx, span := t.spans.Start(ctx, "arcp "+typeLabel(h.Type), trace.WithSpanKind(trace.SpanKindInternal), trace.WithAttributes(
		attribute.String("arcp.direction", direction),
		attribute.String("arcp.type", cut(string(h.Type))),
		attribute.String("arcp.id", cut(string(h.ID))),
		attribute.String("arcp.session_id", cut(string(h.SessionID))),
		attribute.String("arcp.job_id", cut(string(h.JobID))),
		attribute.Int("arcp.bytes", len(message)),
	))
	if !carried {
		return span, message
	}
	propagator.Inject(ctx, tracecontext.Carrier(env))
	out, err := env.AppendJSON(nil)
	if err != nil {
		span.SetStatus(codes.Error, "the trace context could not be replaced")
		return span, message
	}
	return span, out
}

// A logExporter writes spans to the log.
type logExporter struct{ log *slog.Logger }

func (e logExporter) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	for _, s := range spans {
		attrs := []slog.Attr{
			slog.String("name", s.Name()),
			slog.String("trace_id", s.SpanContext().TraceID().String()),
			slog.String("span_id", s.SpanContext().SpanID().String()),
		}
		if s.Parent().IsValid() {
			attrs = append(attrs, slog.String("parent_span_id", s.Parent().SpanID().String()))
		}
		attrs = append(attrs, slog.Duration("duration", s.EndTime().Sub(s.StartTime())))
		for _, a := range s.Attributes() {
			attrs = append(attrs, slog.Any(string(a.Key), a.Value.AsInterface()))
		}
		if s.Status().Code == codes.Error {
			attrs = append(attrs, slog.String("error", s.Status().Description))
		}
		e.log.LogAttrs(context.Background(), slog.LevelInfo, "span", attrs...)
	}
	return nil
}

func (logExporter) Shutdown(context.Context) error { return nil }
