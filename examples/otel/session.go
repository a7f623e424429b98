package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/tracecontext"
)

// propagator is what all three processes use, as a program with OpenTelemetry usually does.
var propagator = propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})

// tenant is a piece of baggage: it travels from the client to the runtime beside the trace.
const tenant = "tenant"

// newTracer gives the tracer of one process, whose spans name it as their service. They are exported as they end, so that
// nothing is left to flush.
func newTracer(service string, exporter sdktrace.SpanExporter) trace.Tracer {
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithSyncer(exporter),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", service))))
	return provider.Tracer("github.com/arcp-go/arcp/examples/otel")
}

// conn is one end of a connection.
type conn struct {
	in     *envelope.Reader
	out    *envelope.Writer
	hangup func(error) // tells the other end; nil is an orderly close
}

// connect makes both ends of a connection over pipes. tap sees every message with the hop that it passes.
func connect(left, right string, tap func(hop, message string)) (l, r conn) {
	toRight, fromLeft := io.Pipe()
	toLeft, fromRight := io.Pipe()
	end := func(in *io.PipeReader, out *io.PipeWriter, hop string) conn {
		return conn{
			in:  envelope.NewReader(in),
			out: envelope.NewWriter(tapped{out, hop, tap}),
			hangup: func(err error) {
				out.CloseWithError(err)
				if err != nil {
					in.CloseWithError(err)
				}
			},
		}
	}
	return end(toLeft, fromLeft, left+" → "+right+":"), end(toRight, fromRight, right+" → "+left+":")
}

// tapped shows what is written, which is one message a call, before it goes on.
type tapped struct {
	io.Writer
	hop string
	tap func(hop, message string)
}

func (t tapped) Write(p []byte) (int, error) {
	t.tap(t.hop, string(p))
	return t.Writer.Write(p)
}

// session runs one job through all three processes and waits for them.
func session(ctx context.Context, exporter sdktrace.SpanExporter, place tracecontext.Place, tap func(hop, message string)) error {
	var mu sync.Mutex
	locked := func(hop, message string) {
		mu.Lock()
		defer mu.Unlock()
		tap(hop, message)
	}
	atClient, atProxyLeft := connect("client", "proxy", locked)
	atProxyRight, atRuntime := connect("proxy", "runtime", locked)
	proxy := newTracer("proxy", exporter)

	var group sync.WaitGroup
	errs := make(chan error, 4)
	start := func(what string, work func() error, hangup ...func(error)) {
		group.Go(func() {
			err := work()
			for _, h := range hangup {
				h(err)
			}
			if err != nil {
				errs <- fmt.Errorf("%s: %w", what, err)
			}
		})
	}
	start("client", func() error { return client(ctx, newTracer("client", exporter), atClient, place) }, atClient.hangup)
	start("proxy, to the runtime", func() error { return forward(ctx, proxy, atProxyLeft.in, atProxyRight.out) }, atProxyRight.hangup)
	start("proxy, to the client", func() error { return forward(ctx, proxy, atProxyRight.in, atProxyLeft.out) }, atProxyLeft.hangup)
	start("runtime", func() error { return serve(ctx, newTracer("runtime", exporter), atRuntime, place) }, atRuntime.hangup)
	group.Wait()
	close(errs)
	return <-errs // the first one is the cause of the others; nil when there is none
}

// client submits a job and waits for its result.
func client(ctx context.Context, tracer trace.Tracer, c conn, place tracecontext.Place) error {
	member, err := baggage.NewMember(tenant, "acme")
	if err != nil {
		return err
	}
	bag, err := baggage.New(member)
	if err != nil {
		return err
	}
	submit, err := envelope.New("job.submit", map[string]string{"agent": "echo"})
	if err != nil {
		return err
	}
	submit.SessionID = "sess_1"

	ctx, span := tracer.Start(baggage.ContextWithBaggage(ctx, bag), "job.submit", trace.WithSpanKind(trace.SpanKindClient))
	defer span.End()
	if err := inject(ctx, submit, place); err != nil {
		return err
	}
	if err := c.out.Write(submit); err != nil {
		return err
	}
	result, err := c.in.Read()
	if err != nil {
		return err
	}
	_, received := tracer.Start(extract(ctx, result), "job.result received", trace.WithSpanKind(trace.SpanKindConsumer))
	received.End()
	return nil
}

// forward passes messages on. Whatever place the context is in, it stays there, and all else keeps its bytes.
func forward(ctx context.Context, tracer trace.Tracer, in *envelope.Reader, out *envelope.Writer) error {
	for {
		env, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		hop, span := tracer.Start(extract(ctx, env), env.Type+" forwarded", trace.WithSpanKind(trace.SpanKindProducer))
		propagator.Inject(hop, tracecontext.Carrier(env))
		err = out.Write(env)
		span.End()
		if err != nil {
			return err
		}
	}
}

// serve answers jobs.
func serve(ctx context.Context, tracer trace.Tracer, c conn, place tracecontext.Place) error {
	for seq := uint64(1); ; seq++ {
		job, err := c.in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := answer(extract(ctx, job), tracer, c.out, job, seq, place); err != nil {
			return err
		}
	}
}

func answer(ctx context.Context, tracer trace.Tracer, out *envelope.Writer, job *envelope.Envelope, seq uint64, place tracecontext.Place) error {
	ctx, span := tracer.Start(ctx, "job run", trace.WithSpanKind(trace.SpanKindServer))
	defer span.End()
	span.SetAttributes(attribute.String(tenant, baggage.FromContext(ctx).Member(tenant).Value()))

	result, err := envelope.New("job.result", map[string]string{"final_status": "success"})
	if err != nil {
		return err
	}
	result.SessionID, result.JobID, result.EventSeq = job.SessionID, "job_1", &seq
	if err := inject(ctx, result, place); err != nil {
		return err
	}
	result.TraceID = tracecontext.TraceID(result)
	return out.Write(result)
}

// inject writes the trace and the baggage of ctx into a new message, in the place where the peer looks for them.
func inject(ctx context.Context, env *envelope.Envelope, place tracecontext.Place) error {
	propagator.Inject(ctx, tracecontext.Carrier(env))
	tc, ok := tracecontext.Extract(env)
	if !ok {
		return errors.New("the context has no span")
	}
	return tracecontext.Inject(env, tc, place)
}

// extract gives a context that continues the trace of a message.
func extract(ctx context.Context, env *envelope.Envelope) context.Context {
	return propagator.Extract(ctx, tracecontext.Carrier(env))
}
