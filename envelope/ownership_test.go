package envelope_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/tracecontext"
	"github.com/arcp-go/arcp/xvendor"
)

func TestDecodeTakesDataOver(t *testing.T) {
	data := []byte(plain)
	e, err := envelope.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if at := strings.Index(plain, string(e.Payload)); &data[at] != &e.Payload[0] {
		t.Error("the payload is a copy")
	}
	if n := testing.AllocsPerRun(10, func() { _, _ = envelope.Decode(data) }); n > 5 {
		t.Errorf("%v allocations", n)
	}
}

func TestUnmarshalJSONCopies(t *testing.T) {
	data := []byte(plain)
	var e envelope.Envelope
	if err := e.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	clear(data)
	if encode(t, &e) != plain || string(e.Extensions["x-vendor.acme.priority"]) != `"high"` || e.ID != "msg_1" {
		t.Errorf("got %v", fieldsOf(&e))
	}
}

func TestAppendCannotReachIntoTheMessage(t *testing.T) {
	for _, source := range []string{plain, spaced, ` {"payload":1,"a":2,"b":[3],"c":"4"}`} {
		e := decode(t, source)
		values := map[string]json.RawMessage{"payload": e.Payload}
		for name, value := range e.Extensions {
			values[name] = value
		}
		for name, value := range values {
			if cap(value) != len(value) {
				t.Errorf("%s has room for %d bytes behind its %d", name, cap(value)-len(value), len(value))
			}
			_ = append(value, "overwritten"...)
		}
		if encode(t, e) != source {
			t.Errorf("the message is now %s", encode(t, e))
		}
	}
	e := new(envelope.Envelope)
	if err := e.SetExtension("x-vendor.acme.k", raw(` {"a":1} trailing`[:9])); err != nil {
		t.Fatal(err)
	}
	if v := e.Extensions["x-vendor.acme.k"]; string(v) != `{"a":1}` {
		t.Errorf("got %s", v)
	}
}

// heapAfter runs build, keeps what it gives, and says by how many bytes the heap has grown.
func heapAfter(t testing.TB, build func() any) uint64 {
	t.Helper()
	measure := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := measure()
	kept := build()
	after := measure()
	runtime.KeepAlive(kept)
	return max(after, before) - before
}

func TestStringsKeepNoLargeMessageAlive(t *testing.T) {
	const large = 8 << 20
	build := func() *envelope.Envelope {
		return decode(t, `{"arcp":"1.1","id":"i","type":"t\u0031","session_id":"s","trace_id":"tr","job_id":"j","name":1,"n\u0061me 2":2,"payload":"`+strings.Repeat("p", large)+`"}`)
	}
	keeps := map[string]func(e *envelope.Envelope) any{
		"core strings": func(e *envelope.Envelope) any {
			return []string{e.ARCP, e.ID, e.Type, e.SessionID, e.TraceID, e.JobID}
		},
		"names": func(e *envelope.Envelope) any {
			var names []string
			for name := range e.Extensions {
				names = append(names, name)
			}
			return names
		},
	}
	for what, keep := range keeps {
		if grown := heapAfter(t, func() any { return keep(build()) }); grown > large/8 {
			t.Errorf("%s keep %d bytes alive", what, grown)
		}
	}
	if grown := heapAfter(t, func() any { return build() }); grown < large {
		t.Errorf("the message itself keeps %d bytes, so this test measures nothing", grown)
	}
}

func TestLongStringsKeepEachOtherNotAlive(t *testing.T) {
	const long = 1 << 20
	var b strings.Builder
	fmt.Fprintf(&b, `{"id":"short","type":"%s","\u0061%s":0`, strings.Repeat("t", long), strings.Repeat("e", long))
	for i := range 10 {
		fmt.Fprintf(&b, `,"%d%s":0,"s%d":0`, i, strings.Repeat("n", long), i)
	}
	b.WriteByte('}')
	text := b.String()
	short := func() any {
		e := decode(t, text)
		kept := []string{e.ID}
		for name := range e.Extensions {
			if len(name) < long || name[0] == '3' {
				kept = append(kept, name)
			}
		}
		return kept
	}
	grown := heapAfter(t, short)
	runtime.KeepAlive(text)
	if grown < long || grown > long+long/2 {
		t.Errorf("one name of %d bytes and 11 short strings keep %d bytes alive", long, grown)
	}
}

func TestNamesDoNotShareMemoryWithData(t *testing.T) {
	data := []byte(plain)
	e, err := envelope.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	from := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	texts := []string{e.ARCP, e.ID, e.Type, e.SessionID, e.TraceID, e.JobID}
	for name := range e.Extensions {
		texts = append(texts, name)
	}
	for _, text := range texts {
		if at := uintptr(unsafe.Pointer(unsafe.StringData(text))); at >= from && at < from+uintptr(len(data)) {
			t.Errorf("%q shares memory with the message", text)
		}
	}
}

func TestAssigningToACopyLeavesTheOriginalAlone(t *testing.T) {
	for _, source := range []string{plain, spaced} {
		e := decode(t, source)
		c := *e
		c.ARCP, c.ID, c.Type, c.SessionID, c.TraceID, c.JobID = "1", "2", "3", "4", "5", "6"
		c.EventSeq, c.Payload = seq(1000), raw(`"new"`)
		if err := c.SetExtension("x-vendor.acme.new", 1); err != nil {
			t.Fatal(err)
		}
		changed := encode(t, &c)
		if got := encode(t, e); got != source {
			t.Errorf("the original is now %s", got)
		}
		c.Extensions = nil
		if got := encode(t, e); got != source || changed == source {
			t.Errorf("the original is now %s", got)
		}
		if back := decode(t, changed); back.ID != "2" || *back.EventSeq != 1000 || string(back.Extensions["x-vendor.acme.new"]) != `1` {
			t.Errorf("the copy gave %s", changed)
		}
	}
}

func TestTheMapIsReplaced(t *testing.T) {
	const name = "x-vendor.acme.priority"
	key := xvendor.MustKey[string](name)
	changes := map[string]func(e *envelope.Envelope) error{
		"SetExtension":      func(e *envelope.Envelope) error { return e.SetExtension(name, 1) },
		"SetExtension, new": func(e *envelope.Envelope) error { return e.SetExtension("x-vendor.acme.new", 1) },
		"EditExtension":     func(e *envelope.Envelope) error { return e.EditExtension("x-vendor.acme.deep", "a", 2) },
		"EditExtension, new": func(e *envelope.Envelope) error {
			return e.EditExtension("x-vendor.acme.new", "a", 2)
		},
		"DeleteExtension": func(e *envelope.Envelope) error { e.DeleteExtension(name); return nil },
		"Key.Set":         func(e *envelope.Envelope) error { return key.Set(&e.Extensions, "low") },
		"Key.Delete":      func(e *envelope.Envelope) error { key.Delete(&e.Extensions); return nil },
		"tracecontext.Inject": func(e *envelope.Envelope) error {
			return tracecontext.Inject(e, tracecontext.TraceContext{Traceparent: parent}, tracecontext.TopLevel)
		},
		"UnmarshalJSON": func(e *envelope.Envelope) error { return e.UnmarshalJSON([]byte(`{"y":1}`)) },
	}
	const source = `{"` + name + `":"high","x-vendor.acme.deep":{"a":1}}`
	for rule, change := range changes {
		e := decode(t, source)
		held := e.Extensions
		other := *e
		if err := change(e); err != nil {
			t.Fatalf("%s: %v", rule, err)
		}
		if e.Equal(other) {
			t.Errorf("%s changed nothing", rule)
		}
		if len(held) != 2 || string(held[name]) != `"high"` || string(held["x-vendor.acme.deep"]) != `{"a":1}` || encode(t, &other) != source {
			t.Errorf("%s wrote into a map that others hold: %s", rule, held)
		}
	}
}

// TestReadingAndEncodingAtOnce is for the race detector.
func TestReadingAndEncodingAtOnce(t *testing.T) {
	changed := decode(t, spaced)
	changed.Type = "changed"
	set("x-vendor.acme.new", `1`)(changed)
	built := fill(&envelope.Envelope{})
	set("b", ` 1 `, "a", `2`)(built)
	for _, e := range []*envelope.Envelope{decode(t, plain), decode(t, spaced), changed, built} {
		want, before := encode(t, e), e.Clone()
		w := envelope.NewWriter(&calls{})
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 20 {
					if out, err := e.AppendJSON(nil); err != nil || string(out) != want {
						t.Errorf("AppendJSON: %s, %v", out, err)
					}
					if out, err := e.MarshalJSON(); err != nil || string(out) != want {
						t.Errorf("MarshalJSON: %s, %v", out, err)
					}
					if _, err := json.Marshal(e); err != nil {
						t.Error(err)
					}
					if err := w.Write(e); err != nil {
						t.Error(err)
					}
					c := e.Clone()
					if err := c.SetExtension("x-vendor.acme.mine", 1); err != nil {
						t.Error(err)
					}
					if !e.Equal(*before) || c.Equal(*e) || e.Extension("x-vendor.acme.mine").Exists() {
						t.Error("a clone's change is seen")
					}
					_, _, _ = e.String(), e.LogValue(), e.Validate()
				}
			})
		}
		wg.Wait()
	}
}
