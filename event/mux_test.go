package event_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/event"
)

func message(payload string) *envelope.Envelope {
	return &envelope.Envelope{Type: event.MessageType, Payload: json.RawMessage(payload)}
}

type thumbnail struct {
	URL   string `json:"url"`
	Width int8   `json:"width"`
}

type contextKey struct{}

func TestMux(t *testing.T) {
	var calls []string
	note := func(ctx context.Context, format string, args ...any) {
		calls = append(calls, fmt.Sprint(ctx.Value(contextKey{}), " ")+fmt.Sprintf(format, args...))
	}
	ctx := context.WithValue(context.Background(), contextKey{}, "ctx")
	refusal := errors.New("no more")

	mux := event.NewMux()
	mux.Ignored = func(ctx context.Context, e event.Event) { note(ctx, "ignored %q", e.Kind) }
	event.On(mux, event.KindProgress, func(ctx context.Context, e event.Event, p event.Progress) error {
		note(ctx, "progress %s %s", p.Current, e.TS)
		return nil
	})
	event.On(mux, event.KindThought, func(ctx context.Context, _ event.Event, p *event.Thought) error {
		note(ctx, "thought %s", p.Text)
		return refusal
	})
	event.On(mux, "x-vendor.acme.thumbnail", func(ctx context.Context, _ event.Event, v thumbnail) error {
		note(ctx, "thumbnail %s", v.URL)
		return nil
	})
	event.On(mux, "x-vendor.acme.raw", func(ctx context.Context, _ event.Event, v json.RawMessage) error {
		note(ctx, "raw %s %v", string(v), v == nil)
		return nil
	})
	event.On(mux, "telemetry", func(ctx context.Context, _ event.Event, v map[string]any) error {
		note(ctx, "telemetry %v", v)
		return nil
	})

	for _, test := range []struct {
		rule string
		env  *envelope.Envelope
		call string
		err  string
		is   error
	}{
		{"a typed body", message(`{"kind":"progress","ts":"t","body":{"current":1.50}}`), "ctx progress 1.50 t", "", nil},
		{"a handler's error, with the kind", message(`{"kind":"thought","body":{"text":"a"}}`), "ctx thought a", `arcp: event of kind "thought": no more`, refusal},
		{"a company's own type", message(`{"kind":"x-vendor.acme.thumbnail","body":{"url":"u","new":1}}`), "ctx thumbnail u", "", nil},
		{"the raw body", message(`{"kind":"x-vendor.acme.raw","body": [ 1.0 ]}`), "ctx raw [ 1.0 ] false", "", nil},
		{"no raw body", message(`{"kind":"x-vendor.acme.raw"}`), "ctx raw  true", "", nil},
		{"null for a type that can be nil", message(`{"kind":"telemetry","body":null}`), "ctx telemetry map[]", "", nil},
		{"a kind that nobody registered", message(`{"kind":"log","body":{"level":7}}`), `ctx ignored "log"`, "", nil},
		{"a vendor's kind that nobody registered", message(`{"kind":"x-vendor.other.x"}`), `ctx ignored "x-vendor.other.x"`, "", nil},
		{"a kind in another case", message(`{"kind":"PROGRESS"}`), `ctx ignored "PROGRESS"`, "", nil},
		{"no kind", message(`{}`), `ctx ignored ""`, "", nil},
		{"another type of message", &envelope.Envelope{Type: "job.result", Payload: raw(`{"kind":"progress","body":{"current":1}}`)}, "", "", nil},
		{"another type of message with a bad payload", &envelope.Envelope{Type: "session.ping", Payload: raw(`[`)}, "", "", nil},
		{"no message", nil, "", "arcp: event: the Envelope is nil", envelope.ErrInvalid},
		{"a payload that is no event", message(`[]`), "", "arcp: event: byte 0: want a JSON object", envelope.ErrSyntax},
		{"a typed body of the wrong type", message(`{"kind":"progress","body":{"current":"7391"}}`), "",
			`arcp: event body of kind "progress": field "current": byte 11: want a number, got a string`, envelope.ErrType},
		{"a typed body of the wrong type, by pointer", message(`{"kind":"thought","body":{"text":7391}}`), "",
			`arcp: event body of kind "thought": field "text": byte 8: want a string, got a number`, envelope.ErrType},
		{"no body for a type", message(`{"kind":"x-vendor.acme.thumbnail"}`), "", `arcp: event body of kind "x-vendor.acme.thumbnail": the event has no body`, envelope.ErrInvalid},
		{"a body that a company's type cannot hold", message(`{"kind":"x-vendor.acme.thumbnail","body":{"width":7391}}`), "",
			`arcp: event body of kind "x-vendor.acme.thumbnail": the handler's type cannot hold it`, envelope.ErrType},
	} {
		t.Run(test.rule, func(t *testing.T) {
			calls = nil
			err := mux.Handle(ctx, test.env)
			if got := strings.Join(calls, "\n"); got != test.call {
				t.Errorf("calls are %q, want %q", got, test.call)
			}
			if test.err == "" && err != nil || test.err != "" && (err == nil || err.Error() != test.err || !errors.Is(err, test.is)) {
				t.Errorf("Handle gave %v, want %q", err, test.err)
			}
		})
	}

	var cause *json.UnmarshalTypeError
	if err := mux.Handle(ctx, message(`{"kind":"x-vendor.acme.thumbnail","body":{"width":7391}}`)); !errors.As(err, &cause) {
		t.Errorf("the cause of %v is not reachable", err)
	} else if next := errors.Unwrap(err); next == nil || next.Error() != cause.Error() {
		t.Errorf("%v wraps %v, want an error with the text of %v", err, next, cause)
	}
	var failed *event.HandlerError
	if err := mux.Handle(ctx, message(`{"kind":"thought","body":{"text":"a"}}`)); !errors.As(err, &failed) || failed.Kind != event.KindThought || failed.Err != refusal {
		t.Errorf("the kind of %v is not reachable", err)
	}
	if err := new(event.Mux).Handle(ctx, message(`{"kind":"log"}`)); err != nil {
		t.Errorf("a Mux without a handler or a hook gave %v", err)
	}
}

func TestOnRefuses(t *testing.T) {
	handler := func(context.Context, event.Event, event.Log) error { return nil }
	for _, test := range []struct {
		rule string
		on   func(*event.Mux)
		want string
	}{
		{"a second handler", func(m *event.Mux) { event.On(m, event.KindLog, handler) }, `event: two handlers for "log"`},
		{"a second handler for another type", func(m *event.Mux) {
			event.On(m, event.KindLog, func(context.Context, event.Event, json.RawMessage) error { return nil })
		}, `event: two handlers for "log"`},
		{"no kind", func(m *event.Mux) { event.On(m, "", handler) }, "event: On with an empty kind"},
		{"no handler", func(m *event.Mux) { event.On[event.Log](m, "x-vendor.acme.x", nil) }, `event: On with a nil handler for "x-vendor.acme.x"`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			mux := event.NewMux()
			event.On(mux, event.KindLog, handler)
			defer func() {
				if diff := cmp.Diff(any(test.want), recover()); diff != "" {
					t.Errorf("panic differs (-want +got):\n%s", diff)
				}
			}()
			test.on(mux)
		})
	}
}

func TestMuxConcurrently(t *testing.T) {
	var handled, ignored atomic.Int32
	mux := event.NewMux()
	mux.Ignored = func(context.Context, event.Event) { ignored.Add(1) }
	event.On(mux, event.KindLog, func(context.Context, event.Event, event.Log) error { handled.Add(1); return nil })
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				for _, payload := range []string{`{"kind":"log","body":{"level":"info"}}`, `{"kind":"x-vendor.other.x"}`} {
					if err := mux.Handle(context.Background(), message(payload)); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	if handled.Load() != 400 || ignored.Load() != 400 {
		t.Errorf("%d handled and %d ignored, want 400 each", handled.Load(), ignored.Load())
	}
}
