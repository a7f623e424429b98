package arcp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/event"
	"github.com/arcp-go/arcp/tracecontext"
	"github.com/arcp-go/arcp/xvendor"
)

// TestSoak sends random messages, valid, damaged and hostile ones, through Reader, Decode, edits and Writer in eight goroutines,
// for as long as the environment variable SOAK says (5 seconds by default). What every step gives is compared with a slower way to
// the same, and the memory in use at the end with that after the first minute, or the first half of a shorter time.
//
// A failure names the seed and the round; with SOAKSEED set to the seed the same messages come again.
func TestSoak(t *testing.T) {
	length, seed := 5*time.Second, rand.Uint64()
	var err error
	if text := os.Getenv("SOAK"); text != "" {
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatalf("SOAK: %v", err)
		}
	}
	if text := os.Getenv("SOAKSEED"); text != "" {
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("SOAKSEED: %v", err)
		}
	}
	const workers, slack = 8, 1 << 20

	s := &soak{real: realMessages(t), hostile: hostileMessages(), shared: newSharedWriter()}
	var running sync.WaitGroup
	for i := range workers {
		w := &soaker{soak: s, random: rand.New(rand.NewPCG(seed, uint64(i)))}
		running.Go(func() {
			for !s.over.Load() {
				s.pause.RLock()
				err := w.round()
				s.pause.RUnlock()
				if err != nil {
					t.Errorf("SOAKSEED=%d, goroutine %d, round %d: %v", seed, i, w.rounds, err)
					s.over.Store(true)
				}
			}
		})
	}
	warm := min(time.Minute, length/2)
	s.wait(warm)
	early := s.memory()
	s.wait(length - warm)
	late := s.memory()
	s.over.Store(true)
	running.Wait()

	if late > early+slack {
		t.Errorf("memory in use grows: %d bytes after %v, %d after %v", early, warm, late, length)
	}
	if err := s.shared.problem(); err != nil {
		t.Error(err)
	}
	t.Logf("%v: %d messages decoded, %d refused, %d edits; %d bytes in use after %v, %d at the end",
		length, s.decoded.Load(), s.refused.Load(), s.edits.Load(), early, warm, late)
	if s.decoded.Load() == 0 || s.refused.Load() == 0 || s.edits.Load() == 0 {
		t.Error("there was nothing of one kind")
	}
}

// soak is what the goroutines share.
type soak struct {
	real, hostile           [][]byte // never written to
	shared                  *sharedWriter
	latest                  atomic.Pointer[published]
	decoded, refused, edits atomic.Int64
	over                    atomic.Bool
	pause                   sync.RWMutex // held for reading during a round, and for writing while memory is measured
}

// published is an Envelope that several goroutines read and encode at once.
type published struct {
	envelope *envelope.Envelope
	encoded  []byte
}

// wait returns after the time, or when a goroutine has failed.
func (s *soak) wait(length time.Duration) {
	for end := time.Now().Add(length); time.Now().Before(end) && !s.over.Load(); {
		time.Sleep(min(100*time.Millisecond, time.Until(end)))
	}
}

// memory is what the heap holds while no round goes on.
func (s *soak) memory() uint64 {
	s.pause.Lock()
	defer s.pause.Unlock()
	s.latest.Store(nil)
	s.shared.renew()
	runtime.GC()
	runtime.GC() // the second one empties what pools have kept of the first
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// A soaker is one goroutine's part.
type soaker struct {
	*soak
	random *rand.Rand
	rounds int
}

// narrow are limits that random messages often break.
var narrow = envelope.Options{MaxBytes: 2000, MaxDepth: 20, MaxMembers: 12, RejectLookalikes: true}

// round makes a stream of messages and reads it.
func (w *soaker) round() error {
	w.rounds++
	options := envelope.Options{}
	if w.random.IntN(3) == 0 {
		options = narrow
	}
	var stream []byte
	for range 1 + w.random.IntN(20) {
		stream = append(stream, w.message()...)
		stream = append(stream, []string{"\n", "\r\n", "\n\n"}[w.random.IntN(3)]...)
	}
	var written bytes.Buffer
	var sent [][]byte
	writer := envelope.NewWriter(&written)
	reader := options.NewReader(&choppy{bytes.NewReader(stream), w.random})
	number := 0
	for line := range bytes.Lines(stream) {
		number++
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		tooLong := options == narrow && len(line) > narrow.MaxBytes
		if !tooLong && len(bytes.Trim(line, " \t\r")) == 0 {
			continue
		}
		e, err := reader.Read()
		if err := w.judge(options, line, number, e, err); err != nil {
			return fmt.Errorf("%w\nin line %d: %.2000q", err, number, line)
		}
		if e == nil {
			continue
		}
		out, err := w.edit(e)
		if err != nil {
			return fmt.Errorf("%w\nafter line %d: %.2000q", err, number, line)
		}
		if out == nil {
			continue
		}
		if err := errors.Join(writer.Write(e), w.shared.write(e)); err != nil {
			return err
		}
		sent = append(sent, withoutBreaks(out))
	}
	if e, err := reader.Read(); err != io.EOF {
		return fmt.Errorf("after the last line: %v, %v", e, err)
	}
	if want := append(bytes.Join(sent, []byte("\n")), '\n'); len(sent) > 0 && !bytes.Equal(written.Bytes(), want) {
		return fmt.Errorf("written: %.2000q\nwant %.2000q", written.Bytes(), want)
	}
	return w.together()
}

// judge compares what Reader says of a line with Decode, with Peek and with encoding/json.
func (w *soaker) judge(options envelope.Options, line []byte, number int, e *envelope.Envelope, err error) error {
	again, refusal := options.Decode(bytes.Clone(line))
	header, peeked := options.Peek(line)
	if (err == nil) != (refusal == nil) || (err == nil) != (peeked == nil) {
		return fmt.Errorf("Read: %v, Decode: %v, Peek: %v", err, refusal, peeked)
	}
	if err != nil {
		w.refused.Add(1)
		var fault *envelope.Error
		if !errors.As(err, &fault) || fault.Line != number || fault.Offset < 0 || fault.Offset > len(line) || len(err.Error()) > 1000 {
			return fmt.Errorf("the error has no place: %w", err)
		}
		return nil
	}
	w.decoded.Add(1)
	out, err := e.AppendJSON([]byte("dst"))
	switch {
	case err != nil:
		return fmt.Errorf("encoding: %w", err)
	case string(out[:3]) != "dst" || !bytes.Equal(out[3:], line):
		return fmt.Errorf("it comes back as %.2000q", out)
	case !e.Equal(*again):
		return errors.New("Read and Decode differ")
	case string(header.ID) != e.ID || string(header.Type) != e.Type || !bytes.Equal(header.Payload, e.Payload) || header.HasEventSeq != (e.EventSeq != nil):
		return errors.New("Peek and Decode differ")
	case !json.Valid(line) || !utf8.Valid(line):
		return errors.New("it is no JSON text in UTF-8")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return err
	}
	for name, value := range e.Extensions {
		if !bytes.Equal(fields[name], value) {
			return fmt.Errorf("extension %q differs from what encoding/json finds", name)
		}
	}
	return nil
}

// edit makes a few changes to e and gives the bytes of the result, which it has read again; nil where a change was such that e
// cannot be encoded.
func (w *soaker) edit(e *envelope.Envelope) ([]byte, error) {
	before := e.Clone()
	original, err := e.AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	for range w.random.IntN(4) {
		w.edits.Add(1)
		// What a message holds may stand in the way of an edit, which then is an error and changes nothing.
		untouched := e.Clone()
		if w.change(e) != nil && !e.Equal(*untouched) {
			return nil, errors.New("an edit that failed has changed the Envelope")
		}
	}
	w.use(e)
	out, err := e.AppendJSON(nil)
	if err != nil {
		return nil, fmt.Errorf("encoding what was edited: %w", err)
	}
	wide := envelope.Options{MaxBytes: 1 << 30, MaxDepth: 1 << 30, MaxMembers: 1 << 30}
	again, err := wide.Decode(bytes.Clone(out))
	if err != nil || !again.Equal(*e) {
		return nil, fmt.Errorf("edited, it does not come back: %v\n%.2000q", err, out)
	}
	if same, err := before.AppendJSON(nil); err != nil || !bytes.Equal(same, original) {
		return nil, fmt.Errorf("an edit reaches a clone made before: %v\n%.2000q", err, same)
	}
	if w.random.IntN(50) == 0 {
		w.latest.Store(&published{again, out})
	}
	return out, nil
}

var (
	priority = xvendor.MustKey[string]("x-vendor.acme.priority")
	budget   = xvendor.MustKey[map[string]float64]("x-vendor.acme.budget")
)

// change makes one change to e.
func (w *soaker) change(e *envelope.Envelope) error {
	switch w.random.IntN(11) {
	case 0:
		return e.SetExtension("x-vendor.acme.n"+strconv.Itoa(w.random.IntN(5)), w.random.Int64())
	case 1:
		return e.SetExtension("x-vendor.acme.text", "<é\u2028\n>")
	case 2:
		return e.EditExtension("x-vendor.acme.deep", []string{"a.b", "a.list.-1", "c"}[w.random.IntN(3)], json.RawMessage(` [1.0] `))
	case 3:
		for name := range e.Extensions {
			e.DeleteExtension(name)
			break
		}
	case 4:
		return priority.Set(&e.Extensions, "high")
	case 5:
		return budget.SetIn(&e.Extensions, xvendor.Nested, map[string]float64{"usd": 12.5})
	case 6:
		priority.Delete(&e.Extensions)
	case 7:
		place := []tracecontext.Place{tracecontext.TopLevel, tracecontext.Extensions, tracecontext.PayloadExtensions}[w.random.IntN(3)]
		return tracecontext.Inject(e, tracecontext.TraceContext{Traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}, place)
	case 8:
		n := w.random.Uint64() >> w.random.IntN(64)
		e.EventSeq = &n
	case 9:
		e.ID, e.TraceID = "msg_"+strconv.Itoa(w.random.IntN(1000)), ""
	case 10:
		e.Payload = json.RawMessage(`{"new":true}`)
	}
	return nil
}

// use calls what only reads; whatever e holds, it may fail but not panic.
func (w *soaker) use(e *envelope.Envelope) {
	_, _, _ = priority.Get(e.Extensions)
	_, _ = tracecontext.Extract(e)
	_ = e.Extension("x-vendor.acme.deep").Get("a.b").String()
	_, _ = e.String(), e.Validate()
	if ev, err := event.FromEnvelope(e); err == nil {
		_, _ = ev.Time()
		_, _ = ev.DecodeBody()
	}
}

// together encodes and reads the Envelope that the other goroutines do too.
func (w *soaker) together() error {
	p := w.latest.Load()
	if p == nil {
		return nil
	}
	out, err := p.envelope.AppendJSON(nil)
	if err != nil || !bytes.Equal(out, p.encoded) {
		return fmt.Errorf("a shared Envelope: %v\n%.2000q", err, out)
	}
	w.use(p.envelope)
	clone := p.envelope.Clone()
	_ = w.change(clone)
	if clone, err = envelope.Decode(bytes.Clone(p.encoded)); err == nil && !clone.Equal(*p.envelope) {
		return errors.New("a change of a clone reaches a shared Envelope")
	}
	return nil
}
