package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

// However many types a peer invents, the metrics stay as small as the protocol.
func TestMetricLabelsAreBounded(t *testing.T) {
	noGoroutineLeft(t)
	target := startTarget(t, nil, echo)
	p := startProxy(t, target.url(""))
	c := dial(t, p.url("/"), nil)
	const invented = 300
	for i := range invented {
		send(t, c, fmt.Sprintf(`{"type":"x-vendor.acme.t%d"}`, i))
		receive(t, c)
	}
	send(t, c, `{"type":"job.event"}`)
	receive(t, c)
	send(t, c, `{}`)
	receive(t, c)
	if err := c.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Error(err)
	}
	p.log.wait(t, "msg=connection")
	for _, direction := range []string{toTarget, toClient} {
		for typ, want := range map[string]float64{"other": invented + 1, "job.event": 1} {
			if got := testutil.ToFloat64(p.metrics.messages.WithLabelValues(direction, typ)); got != want {
				t.Errorf("messages{%s,%s} = %v, want %v", direction, typ, got, want)
			}
		}
		if got, want := testutil.ToFloat64(p.metrics.bytes.WithLabelValues(direction, "job.event")), float64(len(`{"type":"job.event"}`)); got != want {
			t.Errorf("bytes{%s,job.event} = %v, want %v", direction, got, want)
		}
	}
	if n := testutil.CollectAndCount(p.metrics.messages); n != 4 {
		t.Errorf("%d series of messages, want 4", n)
	}
	if n := testutil.CollectAndCount(p.metrics.forwarding); n != 2 {
		t.Errorf("%d series of forwarding times, want one a direction", n)
	}
	if got := testutil.ToFloat64(p.metrics.live); got != 0 {
		t.Errorf("%v live connections after the last one closed", got)
	}
	if problems, err := testutil.GatherAndLint(p.metrics.registry); err != nil || len(problems) > 0 {
		t.Errorf("metric names: %v %v", problems, err)
	}
}

// The connections that live now are counted now.
func TestLiveConnections(t *testing.T) {
	noGoroutineLeft(t)
	target := startTarget(t, nil, echo)
	p := startProxy(t, target.url(""))
	for i := range 3 {
		c := dial(t, p.url("/"), nil)
		send(t, c, `{}`)
		receive(t, c)
		if got := testutil.ToFloat64(p.metrics.live); got != float64(i+1) {
			t.Errorf("%v live connections, want %d", got, i+1)
		}
	}
	if got := testutil.ToFloat64(p.metrics.connections.WithLabelValues("joined")); got != 3 {
		t.Errorf("%v connections joined, want 3", got)
	}
}

// The log has one line a connection, and with -v one a message; it shows headers and never what they carry.
func TestLog(t *testing.T) {
	noGoroutineLeft(t)
	for _, verbose := range []bool{false, true} {
		t.Run(fmt.Sprintf("verbose %v", verbose), func(t *testing.T) {
			target := startTarget(t, nil, echo)
			var flags []string
			if verbose {
				flags = []string{"-v"}
			}
			p := startProxy(t, target.url(""), flags...)
			c := dial(t, p.url("/arcp?token=hunter2"), nil)
			message := `{"id":"m1","type":"job.submit","session_id":"s1","payload":{"password":"hunter2"},"x-vendor.acme.key":"hunter2"}`
			send(t, c, message)
			receive(t, c)
			if err := c.Close(4000, "hunter2"); err != nil {
				t.Error(err)
			}
			text := p.log.wait(t, "msg=connection")
			lines := strings.Split(strings.TrimSpace(text), "\n")
			want := 1
			if verbose {
				want = 3
			}
			if len(lines) != want {
				t.Errorf("%d lines, want %d:\n%s", len(lines), want, text)
			}
			last := lines[len(lines)-1]
			for _, part := range []string{
				"level=INFO", "path=/arcp", "ended_by=client", "cause=closed", "code=4000",
				"to_target.messages=1", fmt.Sprintf("to_target.bytes=%d", len(message)), "to_client.messages=1",
			} {
				if !strings.Contains(last, part) {
					t.Errorf("the line lacks %s: %s", part, last)
				}
			}
			if verbose { // a line may come after that of the message's answer
				there := lines[0]
				if !strings.Contains(there, "direction=to_target") {
					there = lines[1]
				}
				for _, part := range []string{
					"msg=forwarded", "direction=to_target", "envelope.id=m1", "envelope.type=job.submit", "envelope.session_id=s1",
					fmt.Sprintf("bytes=%d", len(message)),
				} {
					if !strings.Contains(there, part) {
						t.Errorf("the line lacks %s: %s", part, there)
					}
				}
			}
			if strings.Contains(text, "hunter2") {
				t.Errorf("a value shows:\n%s", text)
			}
		})
	}
}

func TestCut(t *testing.T) {
	for _, row := range []struct{ in, want string }{
		{"short", "short"},
		{strings.Repeat("a", 128), strings.Repeat("a", 128)},
		{strings.Repeat("a", 129), strings.Repeat("a", 128) + "..."},
		{strings.Repeat("a", 127) + "é", strings.Repeat("a", 127) + "..."},
		{strings.Repeat("\x80", 200), "..."},
	} {
		if got := cut(row.in); got != row.want {
			t.Errorf("cut(%.20q...) = %q", row.in, got)
		}
	}
}
