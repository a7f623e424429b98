package envelope_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/arcp-go/arcp/envelope"
)

// hostileSize is the size of the largest inputs in bytes: what the environment variable HOSTILE says, or else the given one.
// asked tells whether it is there, and the machine, one hopes, free enough to measure times.
func hostileSize(t *testing.T, otherwise int) (size int, asked bool) {
	t.Helper()
	text := os.Getenv("HOSTILE")
	if text == "" {
		return otherwise, false
	}
	size, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("HOSTILE: %v", err)
	}
	return size, true
}

// TestHostileAtScale gives the bombs their full size: at the default limits as large as those allow, and with limits raised.
// Each is refused or carried, Decode allocates at most 1.5 times the input, members aside, and, where HOSTILE is set, ten times
// the input costs at most fifteen times the time (without it see TestTimeIsLinear).
func TestHostileAtScale(t *testing.T) {
	size, measure := hostileSize(t, 1_000_000)
	const defaultMaxBytes, overhead = 16 << 20, 10_000
	for _, bomb := range bombs {
		t.Run(bomb.name, func(t *testing.T) {
			scaled(t, envelope.Options{}, bomb.build, min(size, defaultMaxBytes-overhead), bomb.limits, measure)
			scaled(t, raised, bomb.build, size, bomb.raised, measure)
		})
	}
}

func scaled(t *testing.T, o envelope.Options, build func(n int) string, size int, want error, measure bool) {
	t.Helper()
	large := []byte(build(size))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	e, err := o.Decode(large)
	runtime.ReadMemStats(&after)
	members := 0
	switch {
	case !errors.Is(err, want) || (err == nil) != (want == nil):
		t.Fatalf("%d bytes: %v, want %v", len(large), err, want)
	case errors.Is(err, envelope.ErrTooManyFields):
		members = 1024
	case err == nil:
		members = len(e.Extensions)
		if out, err := e.AppendJSON(nil); err != nil || !bytes.Equal(out, large) {
			t.Errorf("it comes back changed: %v", err)
		}
	}
	const perMember, fixed = 400, 16 << 10
	used := after.TotalAlloc - before.TotalAlloc
	if used > uint64(len(large)*3/2+members*perMember+fixed) {
		t.Errorf("%d bytes are allocated for a message of %d with %d extensions", used, len(large), members)
	}
	e = nil // give its memory back
	t.Logf("%d bytes, %d extensions: %.2f times its size allocated, %v", len(large), members, float64(used)/float64(len(large)), ending(err))
	if !measure {
		return
	}
	const most = 15
	small := []byte(build(size / 10))
	// Memory fresh from the system costs more than memory used before, and both are to pay the same.
	cold := func(data []byte) time.Duration {
		debug.FreeOSMemory()
		start := time.Now()
		_, _ = o.Decode(data)
		return time.Since(start)
	}
	whole, tenth := cold(large), cold(small)
	ratio := func() float64 { return float64(whole) / float64(max(tenth, 20*time.Microsecond)) }
	for range 10 { // one bad measurement is no proof
		if ratio() <= most {
			break
		}
		whole, tenth = min(whole, cold(large)), min(tenth, cold(small))
	}
	if ratio() > most {
		t.Errorf("ten times the input, %d bytes, takes %.0f times the time", len(large), ratio())
	}
	t.Logf("%.1f times the time of a tenth", ratio())
}

// ending is an error without its place, or none.
func ending(err error) string {
	var fault *envelope.Error
	if errors.As(err, &fault) {
		return fault.Err.Error()
	}
	return "carried"
}

// TestReaderHoldsLittleOfAnEndlessLine: a line of whatever length is skipped in memory that MaxBytes bounds.
func TestReaderHoldsLittleOfAnEndlessLine(t *testing.T) {
	size, _ := hostileSize(t, 10_000_000)
	const maxBytes = 100_000
	line := io.LimitReader(oneByte('x'), int64(size))
	r := envelope.Options{MaxBytes: maxBytes}.NewReader(io.MultiReader(strings.NewReader(`{"id":"`), line, strings.NewReader("\n"+`{"id":"next"}`)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := r.Read()
	runtime.ReadMemStats(&after)
	if !errors.Is(err, envelope.ErrTooLarge) {
		t.Errorf("%v, want %v", err, envelope.ErrTooLarge)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 10*maxBytes {
		t.Errorf("%d bytes are allocated for a line that may have %d", used, maxBytes)
	}
	if e, err := r.Read(); err != nil || e.ID != "next" {
		t.Errorf("after it: %v, %v", e, err)
	}
}

// oneByte is a stream of one byte without end.
type oneByte byte

func (b oneByte) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(b)
	}
	return len(p), nil
}
