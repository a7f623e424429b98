package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// drainTime is how long the output stays open after the child has ended while nothing
// comes: a process that the child left behind may hold the pipe for ever.
const drainTime = 500 * time.Millisecond

// side is what a pump shows the bytes to.
type side interface {
	see(p []byte)    // before they are handed on
	passed(p []byte) // those that have been
}

// pump hands on one direction. When its source ends, so does its destination,
// and when its destination refuses bytes, so does its source: each
// neighbour sees what it would see without a program in between.
type pump struct {
	name     string // for errors
	from, to *os.File
	side     side
	report   func(error)

	mu       sync.Mutex // held while a chunk is seen, handed on and noted
	stopped  bool
	draining atomic.Bool
}

func (p *pump) run() {
	defer p.to.Close()
	buf := make([]byte, 64<<10)
	for {
		if p.draining.Load() {
			p.from.SetReadDeadline(time.Now().Add(drainTime))
		}
		n, err := p.from.Read(buf)
		if n > 0 && !p.pass(buf[:n]) {
			p.from.Close()
			return
		}
		if err != nil {
			if err != io.EOF && !errors.Is(err, os.ErrDeadlineExceeded) {
				p.report(fmt.Errorf("%s: %w", p.name, err))
			}
			return
		}
	}
}

// pass hands on one chunk and reports whether there may be more. A message is seen before
// it is handed on, so that a request always stands above its answer.
func (p *pump) pass(chunk []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return false
	}
	p.side.see(chunk)
	n, err := p.to.Write(chunk)
	p.side.passed(chunk[:n])
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		p.report(fmt.Errorf("%s: %d bytes not handed on: %w", p.name, len(chunk)-n, err))
	}
	return err == nil
}

// stop ends the pump at once. What it has handed on is noted when stop returns;
// it may still be waiting for its source, and nothing of that counts any more.
func (p *pump) stop() {
	p.to.SetWriteDeadline(time.Now())
	p.mu.Lock()
	p.stopped = true
	p.mu.Unlock()
}

// drain ends the pump once nothing more has come for a while. A destination that is
// slow to take what did come may take all the time it needs.
func (p *pump) drain() {
	p.draining.Store(true)
	p.from.SetReadDeadline(time.Now().Add(drainTime))
}
