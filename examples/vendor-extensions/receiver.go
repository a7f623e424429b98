package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/event"
)

// receiver is told of every message.
type receiver struct {
	submitted func(*envelope.Envelope) error // a job.submit
	events    *event.Mux                     // all job.event
}

// receive hands on the messages of a stream until it ends.
func receive(ctx context.Context, in io.Reader, r receiver) error {
	messages := envelope.NewReader(in)
	for {
		env, err := messages.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err // a server would answer a bad message with its error and read on
		}
		if env.Type == "job.submit" {
			if err := r.submitted(env); err != nil {
				return err
			}
		}
		if err := r.events.Handle(ctx, env); err != nil {
			return err
		}
	}
}

// newAcmeReceiver makes a receiver that knows Acme's extensions.
func newAcmeReceiver(out *strings.Builder) receiver {
	mux := newMux(out)
	event.On(mux, kindThumbnail, func(_ context.Context, _ event.Event, t thumbnail) error {
		fmt.Fprintf(out, "  thumbnail %s, %d by %d\n", t.URL, t.Width, t.Height)
		return nil
	})
	submitted := func(env *envelope.Envelope) error {
		// Get finds the field at top level and inside the object "extensions".
		urgency, ok, err := priority.Get(env.Extensions)
		if err != nil {
			return err
		}
		if !ok {
			urgency = "normal"
		}
		fmt.Fprintf(out, "  %s has priority %s\n", env.ID, urgency)
		return nil
	}
	return receiver{submitted, mux}
}

// newStranger makes a receiver that has never heard of Acme. What it does not know it ignores, and could pass on unharmed: an
// Envelope that nobody changed is encoded as it came.
func newStranger(out *strings.Builder) receiver {
	submitted := func(env *envelope.Envelope) error {
		fmt.Fprintf(out, "  %s\n", env.ID)
		return nil
	}
	return receiver{submitted, newMux(out)}
}

// newMux makes what both have in common.
func newMux(out *strings.Builder) *event.Mux {
	mux := event.NewMux()
	mux.Ignored = func(_ context.Context, ev event.Event) {
		fmt.Fprintf(out, "  ignored an event of kind %q\n", ev.Kind)
	}
	event.On(mux, event.KindStatus, func(_ context.Context, _ event.Event, s event.Status) error {
		fmt.Fprintf(out, "  status %s\n", s.Phase)
		return nil
	})
	return mux
}
