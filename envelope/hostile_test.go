package envelope_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/arcp-go/arcp/envelope"
)

// bombs are inputs of about n bytes that aim at one weakness each. The result is nil where the message is valid.
var bombs = []struct {
	name   string
	build  func(n int) string
	limits error // under the default limits
	raised error // with all limits raised
}{
	{"open arrays", func(n int) string { return `{"x":` + strings.Repeat(`[`, n) }, envelope.ErrTooDeep, envelope.ErrSyntax},
	{"open objects", func(n int) string { return strings.Repeat(`{"":`, n/4) }, envelope.ErrTooDeep, envelope.ErrSyntax},
	{"deep arrays", func(n int) string { return `{"x":` + strings.Repeat(`[`, n/2) + strings.Repeat(`]`, n/2) + `}` }, envelope.ErrTooDeep, nil},
	{"one long string", func(n int) string { return `{"x":"` + strings.Repeat(`a`, n) + `"}` }, nil, nil},
	{"one long payload of escapes", func(n int) string { return `{"payload":"` + strings.Repeat(`\u0041`, n/6) + `"}` }, nil, nil},
	{"one long core string", func(n int) string { return `{"id":"` + strings.Repeat(`a`, n) + `"}` }, nil, nil},
	{"one long core string of escapes", func(n int) string { return `{"id":"` + strings.Repeat(`\"`, n/2) + `"}` }, nil, nil},
	{"one long name", func(n int) string { return `{"` + strings.Repeat(`a`, n) + `":1}` }, nil, nil},
	{"one long name of escapes", func(n int) string { return `{"` + strings.Repeat(`\\`, n/2) + `":1}` }, nil, nil},
	{"one long name of short escapes", func(n int) string { return `{"` + strings.Repeat(`\u0041`, n/6) + `":1}` }, nil, nil},
	{"one long number", func(n int) string { return `{"x":1` + strings.Repeat(`0`, n) + `}` }, nil, nil},
	{"one long sequence number", func(n int) string { return `{"event_seq":1` + strings.Repeat(`0`, n) + `}` }, envelope.ErrType, envelope.ErrType},
	{"white space", func(n int) string { return strings.Repeat(` `, n/2) + `{` + strings.Repeat(" ", n/2) + `}` }, nil, nil},
	{"multibyte text", func(n int) string { return `{"x":"` + strings.Repeat(`é€😀`, n/9) + `"}` }, nil, nil},
	{"invalid at the very end", func(n int) string { return `{"x":"` + strings.Repeat(`é`, n/2) + "\xc3\"}" }, envelope.ErrSyntax, envelope.ErrSyntax},
	{"many elements", func(n int) string { return `{"x":[` + strings.Repeat(`0,`, n/2) + `0]}` }, nil, nil},
	{"many inner members", func(n int) string { return `{"x":{` + strings.Repeat(`"":0,`, n/5) + `"":0}}` }, nil, nil},
	{"many members", members(`"%d":0`), envelope.ErrTooManyFields, nil},
	{"many escaped members", members(`"\u006e%d":0`), envelope.ErrTooManyFields, nil},
	{"many members alike", members(`"` + strings.Repeat("x", 50) + `%08d` + strings.Repeat("x", 50) + `":0`), envelope.ErrTooManyFields, nil},
	{"many malformed vendor names", members(`"x-vendor.%d":0`), envelope.ErrTooManyFields, nil},
	{"few long names alike", longNames(16, `a`), nil, nil},
	{"few long names alike, escaped", longNames(16, `\n`), nil, nil},
	{"a thousand long names alike, escaped", longNames(1000, `\n`), nil, nil},
}

func members(format string) func(n int) string {
	return func(n int) string {
		var b strings.Builder
		b.WriteByte('{')
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, format+`,`, i)
		}
		return b.String() + `"last":0}`
	}
}

// longNames has names that differ in their last letters only.
func longNames(count int, letter string) func(n int) string {
	return func(n int) string {
		part := strings.Repeat(letter, max(1, n/count/len(letter)))
		var b strings.Builder
		b.WriteByte('{')
		for i := range count {
			fmt.Fprintf(&b, `"%s%d":0,`, part, i)
		}
		return b.String() + `"last":0}`
	}
}

var raised = envelope.Options{MaxBytes: 1 << 30, MaxDepth: 1 << 30, MaxMembers: 1 << 30}

func TestBombs(t *testing.T) {
	const size = 1 << 17
	for _, bomb := range bombs {
		t.Run(bomb.name, func(t *testing.T) {
			data := []byte(bomb.build(size))
			for _, limits := range []struct {
				options envelope.Options
				want    error
			}{{envelope.Options{}, bomb.limits}, {raised, bomb.raised}} {
				for name, call := range readings(limits.options, data) {
					err := call()
					if !errors.Is(err, limits.want) || (err == nil) != (limits.want == nil) {
						t.Errorf("%s: %v, want %v", name, err, limits.want)
					}
					if err != nil && len(err.Error()) > 1000 {
						t.Errorf("%s: an error of %d bytes", name, len(err.Error()))
					}
				}
			}
			e, err := raised.Decode(data)
			if err != nil {
				return
			}
			out, err := e.AppendJSON(nil)
			if err != nil || !bytes.Equal(out, data) {
				t.Errorf("it comes back changed: %v", err)
			}
			e.Type = "edited"
			out, err = e.AppendJSON(nil)
			if back, refused := raised.Decode(out); err != nil || refused != nil || !back.Equal(*e) {
				t.Errorf("edited: %v, %v", err, refused)
			}
		})
	}
}

// TestDecodeAllocatesLittle bounds what a message makes Decode allocate by its size, members aside.
func TestDecodeAllocatesLittle(t *testing.T) {
	const size, perMember, fixed = 1 << 17, 400, 16 << 10
	for _, bomb := range bombs {
		data := []byte(bomb.build(size))
		for rule, o := range map[string]envelope.Options{"default limits": {}, "raised limits": raised} {
			count := 0
			if members, err := raised.Decode(data); err == nil {
				count = len(members.Extensions)
			}
			if o == (envelope.Options{}) {
				count = min(count, 1024)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _ = o.Decode(data)
			runtime.ReadMemStats(&after)
			used := after.TotalAlloc - before.TotalAlloc
			if most := uint64(len(data)*3/2 + count*perMember + fixed); used > most {
				t.Errorf("%s, %s: %d bytes are allocated for a message of %d with %d extensions", bomb.name, rule, used, len(data), count)
			}
			runtime.ReadMemStats(&before)
			_, _ = o.Peek(data)
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > uint64(len(data)+count*64+fixed) {
				t.Errorf("%s, %s: Peek allocates %d bytes for a message of %d with %d extensions", bomb.name, rule, used, len(data), count)
			}
		}
	}
}

// TestNestingIsRefusedAtOnce: 100 MB of brackets cost what a short input costs, also with MaxBytes raised.
func TestNestingIsRefusedAtOnce(t *testing.T) {
	long := []byte(`{"x":` + strings.Repeat(`[`, 100_000_000))
	o := envelope.Options{MaxBytes: 1 << 30}
	for name, call := range readings(o, long[:20_000:20_000]) {
		short := fastest(func() { _ = call() })
		whole := fastest(func() {
			_ = map[string]func() error{
				"Decode":       func() error { _, err := o.Decode(long); return err },
				"Peek":         func() error { _, err := o.Peek(long); return err },
				"AppendSet":    func() error { _, err := o.AppendSet(nil, long, "y", []byte(`1`)); return err },
				"AppendDelete": func() error { _, err := o.AppendDelete(nil, long, "y"); return err },
			}[name]()
		})
		// A hundred times as long would still be one in fifty of what reading all of it takes.
		if whole > 100*short {
			t.Errorf("%s takes %v, %v for a short one", name, whole, short)
		}
	}
	allocated := testing.AllocsPerRun(5, func() { _, _ = o.Decode(long) })
	if allocated > 10 {
		t.Errorf("%v allocations", allocated)
	}
}

// fastest is the best of a few runs, which other work on the machine disturbs least.
func fastest(run func()) time.Duration {
	best := time.Duration(1<<63 - 1)
	for range 3 {
		start := time.Now()
		run()
		best = min(best, time.Since(start))
	}
	return best
}

// TestTimeIsLinear: twenty times the input takes some twenty times the time. Quadratic work would take 400 times as long; the
// bound is so far from both because the machine has other work, and memory its steps.
func TestTimeIsLinear(t *testing.T) {
	const short, long, most = 15_000, 300_000, 120
	for _, bomb := range bombs {
		small, large := []byte(bomb.build(short)), []byte(bomb.build(long))
		works := map[string]func(data []byte){
			"Peek": func(data []byte) { _, _ = raised.Peek(data) },
			"Decode, edit, encode, validate, print": func(data []byte) {
				e, err := raised.Decode(data)
				if err != nil {
					return
				}
				e.Type = "t"
				e.DeleteExtension("last")
				_, _ = e.AppendJSON(nil)
				_, _ = e.Validate(), e.String()
			},
		}
		for name, work := range works {
			var ratio float64
			for range 4 { // one bad measurement is no proof
				ratio = float64(fastest(func() { work(large) })) / float64(max(fastest(func() { work(small) }), time.Microsecond))
				if ratio <= most {
					break
				}
			}
			if ratio > most {
				t.Errorf("%s, %s: twenty times the input takes %.0f times the time", bomb.name, name, ratio)
			}
		}
	}
}
