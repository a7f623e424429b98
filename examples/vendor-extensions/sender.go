package main

import (
	"encoding/json"
	"strconv"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/event"
	"github.com/arcp-go/arcp/xvendor"
)

// sender writes messages whose ids and times are fixed, so that the output is the same every time.
type sender struct {
	out  *envelope.Writer
	sent int
	seq  uint64 // of events
}

// send writes one message of each sort that the receivers should cope with.
func send(out *envelope.Writer) error {
	s := &sender{out: out}
	body := thumbnail{URL: "https://acme.example/t/1?size=s&fmt=png", Width: 320, Height: 180}
	for _, step := range []func() error{
		func() error { return s.submit("render", "high", xvendor.TopLevel) },
		// The Go and TypeScript libraries look for extensions in an object of that name.
		func() error { return s.submit("render", "low", xvendor.Nested) },
		func() error { return s.event(event.KindStatus, event.Status{Phase: "rendering"}) },
		func() error { return s.event(kindThumbnail, body) },
		func() error {
			return s.event("x-vendor.other.telemetry", json.RawMessage(`{"cpu":0.30,"samples":12345678901234567890}`))
		},
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (s *sender) submit(agent, urgency string, place xvendor.Place) error {
	env, err := envelope.New("job.submit", map[string]string{"agent": agent})
	if err != nil {
		return err
	}
	if err := priority.SetIn(&env.Extensions, place, urgency); err != nil {
		return err
	}
	return s.write(env)
}

func (s *sender) event(kind string, body any) error {
	ev, err := event.New(kind, body)
	if err != nil {
		return err
	}
	ev.TS = "2026-05-13T19:42:13Z"
	env, err := envelope.New(event.MessageType, ev)
	if err != nil {
		return err
	}
	s.seq++
	env.JobID, env.EventSeq = "job_1", new(s.seq)
	return s.write(env)
}

func (s *sender) write(env *envelope.Envelope) error {
	s.sent++
	env.ID, env.SessionID = "msg_"+strconv.Itoa(s.sent), "sess_1"
	if err := env.Validate(); err != nil {
		return err
	}
	return s.out.Write(env)
}
