package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/arcp-go/arcp/envelope"
)

// Many connections at once, both directions of each full: every message arrives, in the order of its direction, on its
// own connection; no goroutine is left and memory stays far below what a queue would take.
func TestLoad(t *testing.T) {
	noGoroutineLeft(t)
	connections, messages := 50, 40
	limit := 2 * time.Minute
	if *load {
		connections, messages, limit = 500, 200, 10*time.Minute
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	target := startTarget(t, nil, func(c *websocket.Conn) {
		_, hello, err := c.Read(ctx) // tells the target which connection this is
		if err != nil {
			t.Errorf("target: %v", err)
			return
		}
		h, err := envelope.Peek(hello)
		if err != nil {
			t.Errorf("target: %v", err)
		}
		if err := exchange(ctx, c, "target-"+string(h.ID), "client-"+string(h.ID), messages); err != nil {
			t.Errorf("target of client %s: %v", h.ID, err)
		}
		_, _ = receiveClose(ctx, c)
	})
	p := startProxy(t, target.url("/arcp"), "-grace", "10s")

	peak := watchHeap(t)
	start := time.Now()
	var clients sync.WaitGroup
	slots := make(chan struct{}, 64) // handshakes at once: the system's queue of connections to accept is short
	for i := range connections {
		clients.Go(func() {
			slots <- struct{}{}
			c, _, err := websocket.Dial(ctx, p.url("/arcp"), withoutPool(t, nil))
			<-slots
			if err != nil {
				t.Errorf("client %d: %v", i, err)
				return
			}
			defer c.CloseNow()
			c.SetReadLimit(-1)
			name := strconv.Itoa(i)
			if err := c.Write(ctx, websocket.MessageText, []byte(`{"id":"`+name+`"}`)); err != nil {
				t.Errorf("client %d: %v", i, err)
				return
			}
			if err := exchange(ctx, c, "client-"+name, "target-"+name, messages); err != nil {
				t.Errorf("client %d: %v", i, err)
			}
			if err := c.Close(websocket.StatusNormalClosure, ""); err != nil {
				t.Errorf("client %d: close: %v", i, err)
			}
		})
	}
	clients.Wait()
	took := time.Since(start)
	p.stop()
	total := 0.0
	for _, direction := range []string{toTarget, toClient} {
		got := testutil.ToFloat64(p.metrics.messages.WithLabelValues(direction, "job.event"))
		if want := float64(connections * messages); got != want {
			t.Errorf("%v messages counted %s, want %v", got, direction, want)
		}
		total += got
	}
	heap := peak()
	t.Logf("%d connections, %.0f messages in %v (%.0f a second), at most %d MiB of heap, peers included",
		connections, total, took.Round(time.Millisecond), total/took.Seconds(), heap>>20)
	if bound := uint64(64<<20 + connections*512<<10); heap > bound {
		t.Errorf("%d MiB of heap, more than %d", heap>>20, bound>>20)
	}
}

// What a client does not read stays with the target and in the system: the proxy holds one message.
func TestSlowReaderFillsNoMemory(t *testing.T) {
	noGoroutineLeft(t)
	url, targets := startRawTarget(t)
	p := startProxy(t, url)
	c := dialRaw(t, p.addr)
	target := <-targets
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fillUntilBlocked(t, target)
	runtime.GC()
	runtime.ReadMemStats(&after)
	passed := testutil.ToFloat64(p.metrics.bytes.WithLabelValues(toClient, "other"))
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
		t.Errorf("%d bytes more on the heap after %.0f bytes passed and the client reads none", grown, passed)
	}
	c.kill()
	target.kill()
}

// exchange sends numbered messages and at the same time reads as many of the other side's, which it checks.
func exchange(ctx context.Context, c *websocket.Conn, mine, theirs string, messages int) error {
	message := func(from string, i int) string {
		return fmt.Sprintf(`{"arcp":"1.1","id":"msg_%d","type":"job.event","session_id":%q,"job_id":"job_1","event_seq":%d,`+
			`"payload":{"kind":"log","ts":"2026-01-02T03:04:05Z","body":{"level":"info","message":"step %d of many"}},"x-vendor.acme.seq":%d.0}`,
			i, from, i, i, i)
	}
	sent := make(chan error, 1)
	go func() {
		for i := range messages {
			if err := c.Write(ctx, websocket.MessageText, []byte(message(mine, i))); err != nil {
				sent <- err
				return
			}
		}
		sent <- nil
	}()
	for i := range messages {
		_, data, err := c.Read(ctx)
		if err != nil {
			c.CloseNow()
			return errors.Join(fmt.Errorf("message %d: %w", i, err), <-sent)
		}
		if want := message(theirs, i); string(data) != want {
			c.CloseNow()
			return errors.Join(fmt.Errorf("message %d is %q, want %q", i, data, want), <-sent)
		}
	}
	return <-sent
}

// watchHeap samples the heap in use until peak is called, which gives the most there was.
func watchHeap(t *testing.T) (peak func() uint64) {
	t.Helper()
	stop, stopped := make(chan struct{}), make(chan struct{})
	var most uint64
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(20 * time.Millisecond)
		defer ticker.Stop()
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse)
			select {
			case <-stop:
				return
			case <-ticker.C:
			}
		}
	}()
	return func() uint64 {
		close(stop)
		<-stopped
		return most
	}
}
