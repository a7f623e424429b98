package envelope_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/arcp-go/arcp/envelope"
)

// outcome is what one call of Read gives: the message's bytes, or the line and the rule of an *Error, or another error.
type outcome struct {
	message string
	line    int
	err     error
}

func (o outcome) String() string {
	if o.err == nil {
		return o.message
	}
	return fmt.Sprintf("line %d: %v", o.line, o.err)
}

// drain reads to the end; io.EOF is not among the outcomes.
func drain(t testing.TB, r *envelope.Reader) []outcome {
	t.Helper()
	var list []outcome
	for {
		e, err := r.Read()
		if err == io.EOF {
			if _, again := r.Read(); again != io.EOF {
				t.Fatalf("after io.EOF: %v", again)
			}
			return list
		}
		list = append(list, outcomeOf(t, e, err))
	}
}

func outcomeOf(t testing.TB, e *envelope.Envelope, err error) outcome {
	t.Helper()
	if err == nil {
		return outcome{message: encode(t, e)}
	}
	if e != nil {
		t.Errorf("a message came with %v", err)
	}
	if f, ok := err.(*envelope.Error); ok {
		return outcome{line: f.Line, err: f.Err}
	}
	return outcome{err: err}
}

// readers give the same bytes in different pieces.
var readers = map[string]func(text string) io.Reader{
	"at once":          func(text string) io.Reader { return strings.NewReader(text) },
	"byte by byte":     func(text string) io.Reader { return iotest.OneByteReader(strings.NewReader(text)) },
	"half by half":     func(text string) io.Reader { return iotest.HalfReader(strings.NewReader(text)) },
	"io.EOF with data": func(text string) io.Reader { return iotest.DataErrReader(strings.NewReader(text)) },
	"bytes, EOF with one": func(text string) io.Reader {
		return iotest.DataErrReader(iotest.OneByteReader(strings.NewReader(text)))
	},
}

func TestReader(t *testing.T) {
	const max = 20 // for the rows about length
	ok := func(messages ...string) (list []outcome) {
		for _, m := range messages {
			list = append(list, outcome{message: m})
		}
		return list
	}
	exactly := `{"id":"123456789"}  `
	rows := []struct {
		rule, text string
		want       []outcome
	}{
		{"nothing", "", nil},
		{"one line", "{}\n", ok(`{}`)},
		{"two lines", "{\"id\":\"1\"}\n{\"id\":\"2\"}\n", ok(`{"id":"1"}`, `{"id":"2"}`)},
		{"\\r\\n", "{\"id\":\"1\"}\r\n{\"id\":\"2\"}\r\n", ok(`{"id":"1"}`, `{"id":"2"}`)},
		{"the last line without its ending", "{\"id\":\"1\"}\n{\"id\":\"2\"}", ok(`{"id":"1"}`, `{"id":"2"}`)},
		{"white space in a line is the message's", " {} \t\n", ok(" {} \t")},
		{"a carriage return in a line is the message's", "{\r}\r\r\n", ok("{\r}\r")},
		{"blank lines are skipped, and counted", "\n\r\n \t\n\r\r\n{}\n\n!\n \n", append(ok(`{}`), outcome{line: 7, err: envelope.ErrSyntax})},
		{"a blank end", "{}\n  ", ok(`{}`)},
		{"a bad line, and on", "{}\nx\n{\"id\":\"i\"}\n", append(append(ok(`{}`), outcome{line: 2, err: envelope.ErrSyntax}), ok(`{"id":"i"}`)...)},
		{"each bad line has its rule", "{\"a\":1,\"a\":1}\n{\"id\":1}\n[\n", []outcome{{line: 1, err: envelope.ErrDuplicate}, {line: 2, err: envelope.ErrType}, {line: 3, err: envelope.ErrSyntax}}},
		{"a truncated last line", "{}\n{\"id\":", append(ok(`{}`), outcome{line: 2, err: envelope.ErrSyntax})},
		{"exactly MaxBytes", exactly + "\n", ok(exactly)},
		{"exactly MaxBytes and \\r\\n", exactly + "\r\n{}\r\n", ok(exactly, `{}`)},
		{"exactly MaxBytes at the end", exactly, ok(exactly)},
		{"one over MaxBytes", exactly + " \n{}\n", append([]outcome{{line: 1, err: envelope.ErrTooLarge}}, ok(`{}`)...)},
		{"one over MaxBytes and \\r\\n", exactly + " \r\n{}\n", append([]outcome{{line: 1, err: envelope.ErrTooLarge}}, ok(`{}`)...)},
		{"one carriage return over MaxBytes", exactly + "\r\r\n{}\n", append([]outcome{{line: 1, err: envelope.ErrTooLarge}}, ok(`{}`)...)},
		{"one carriage return over MaxBytes at the end", exactly + "\r", []outcome{{line: 1, err: envelope.ErrTooLarge}}},
		{"far over MaxBytes", "\n{}\n" + strings.Repeat("x", 500_000) + "\n{}\n", append(append(ok(`{}`), outcome{line: 3, err: envelope.ErrTooLarge}), ok(`{}`)...)},
		{"far over MaxBytes at the end", strings.Repeat(" ", 200_000), []outcome{{line: 1, err: envelope.ErrTooLarge}}},
	}
	for _, row := range rows {
		for cut, reader := range readers {
			t.Run(row.rule+", "+cut, func(t *testing.T) {
				got := drain(t, envelope.Options{MaxBytes: max}.NewReader(reader(row.text)))
				if fmt.Sprint(got) != fmt.Sprint(row.want) {
					t.Errorf("\n got %q\nwant %q", got, row.want)
				}
			})
		}
	}
}

func TestReaderReadsRecordings(t *testing.T) {
	messages := recordings(t)
	for cut, reader := range readers {
		for _, ending := range []string{"\n", "\r\n"} {
			got := drain(t, envelope.NewReader(reader(strings.Join(messages, ending))))
			if len(got) != len(messages) {
				t.Fatalf("%s: %d messages, want %d", cut, len(got), len(messages))
			}
			for i, o := range got {
				if o.message != messages[i] {
					t.Errorf("%s: %v", cut, o)
				}
			}
		}
	}
}

func TestReaderUsesItsOptions(t *testing.T) {
	const text = "{\"x\":[[]]}\n{\"a\":1,\"b\":2}\n{\"ID\":1}\n{}\n"
	r := envelope.Options{MaxDepth: 2, MaxMembers: 1, RejectLookalikes: true}.NewReader(strings.NewReader(text))
	want := []outcome{{line: 1, err: envelope.ErrTooDeep}, {line: 2, err: envelope.ErrTooManyFields}, {line: 3, err: envelope.ErrLookalike}, {message: `{}`}}
	if got := drain(t, r); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v", got)
	}
	if got := drain(t, envelope.NewReader(strings.NewReader(text))); len(got) != 4 || got[0].err != nil || got[2].err != nil {
		t.Errorf("by default: %v", got)
	}
}

// steps is an io.Reader that does what it is told.
type steps []func(p []byte) (int, error)

func (s *steps) Read(p []byte) (int, error) {
	if len(*s) == 0 {
		return 0, io.EOF
	}
	step := (*s)[0]
	*s = (*s)[1:]
	return step(p)
}

func give(text string, err error) func(p []byte) (int, error) {
	return func(p []byte) (int, error) { return copy(p, text), err }
}

func TestReaderPassesErrorsOn(t *testing.T) {
	broken := errors.New("broken pipe")
	read := func(want ...outcome) func(t *testing.T, r *envelope.Reader) {
		return func(t *testing.T, r *envelope.Reader) {
			for i, w := range want {
				e, err := r.Read()
				if got := outcomeOf(t, e, err); got.String() != w.String() || w.err != nil && got.err != w.err {
					t.Errorf("call %d gives %v, want %v", i, got, w)
				}
			}
		}
	}
	one, two := outcome{message: `{"id":"1"}`}, outcome{message: `{"id":"2"}`}
	rows := []struct {
		rule string
		src  steps
		then func(t *testing.T, r *envelope.Reader)
	}{
		{"an error alone, as it is", steps{give("", broken)}, read(outcome{err: broken}, outcome{err: io.EOF})},
		{"an error with bytes comes after them", steps{give("{\"id\":\"1\"}\n", broken)}, read(one, outcome{err: broken}, outcome{err: io.EOF})},
		{"a deadline in the middle of a line loses nothing", steps{give(`{"id":`, nil), give("", iotest.ErrTimeout), give("\"1\"}\n", nil)}, read(outcome{err: iotest.ErrTimeout}, one, outcome{err: io.EOF})},
		{"a deadline with half a line loses nothing", steps{give(`{"id":`, iotest.ErrTimeout), give("\"1\"}\n{\"id\":\"2\"}", nil)}, read(outcome{err: iotest.ErrTimeout}, one, two, outcome{err: io.EOF})},
		{"io.ErrUnexpectedEOF is an error like another", steps{give("{\"id\":\"1\"}\n{", io.ErrUnexpectedEOF)}, read(one, outcome{err: io.ErrUnexpectedEOF}, outcome{line: 2, err: envelope.ErrSyntax}, outcome{err: io.EOF})},
		{"a truncated line is an *Error first", steps{give("{\"id\":\"1\"", io.EOF)}, read(outcome{line: 1, err: envelope.ErrSyntax}, outcome{err: io.EOF})},
		{"a truncated line at a boundary of reads", steps{give("{", nil), give("", io.EOF)}, read(outcome{line: 1, err: envelope.ErrSyntax}, outcome{err: io.EOF})},
		{"empty reads are waited out", steps{give("", nil), give("{\"id\":\"1\"}\n", nil), give("", nil)}, read(one, outcome{err: io.EOF})},
		{"empty reads for ever", endless(), read(outcome{err: io.ErrNoProgress})},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) { row.then(t, envelope.NewReader(&row.src)) })
	}
	for _, n := range []int{-1, 1 << 30} {
		src := steps{func([]byte) (int, error) { return n, nil }}
		if _, err := envelope.NewReader(&src).Read(); err == nil || err == io.EOF {
			t.Errorf("a count of %d: %v", n, err)
		}
	}
	r := envelope.NewReader(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("{}"))))
	if _, err := r.Read(); err != iotest.ErrTimeout {
		t.Errorf("a timeout: %v", err)
	}
	if e, err := r.Read(); err != nil || encode(t, e) != `{}` {
		t.Errorf("after a timeout: %v, %v", e, err)
	}
}

func endless() steps {
	var s steps
	for range 1000 {
		s = append(s, give("", nil))
	}
	return s
}

func TestReaderGivesEachMessageMemoryOfItsOwn(t *testing.T) {
	r := envelope.NewReader(strings.NewReader("{\"payload\":[1]}\n{\"payload\":[2]}\n"))
	first, err1 := r.Read()
	second, err2 := r.Read()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	first.Payload[1] = 'x'
	if string(second.Payload) != `[2]` {
		t.Errorf("the second payload is %s", second.Payload)
	}
}

func TestReaderReadsLongLines(t *testing.T) {
	message := sized(15 << 20)
	message = message[:len(message)-1]
	for _, cut := range []string{"at once", "half by half", "io.EOF with data"} {
		got := drain(t, envelope.NewReader(readers[cut](message+"\n{}\n")))
		if len(got) != 2 || got[0].message != message || got[1].message != `{}` {
			t.Errorf("%s: %d outcomes", cut, len(got))
		}
	}
}

// TestReaderHoldsBoundedMemory reads a line of 256 MiB that has no end.
func TestReaderHoldsBoundedMemory(t *testing.T) {
	const limit = 1 << 20
	src := io.LimitReader(zeros{}, 256*limit)
	r := envelope.Options{MaxBytes: limit}.NewReader(src)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := r.Read()
	runtime.ReadMemStats(&after)
	if f := fault(t, err); !errors.Is(err, envelope.ErrTooLarge) || f.Line != 1 || f.Offset != limit {
		t.Errorf("got %v", err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 8*limit {
		t.Errorf("%d bytes were allocated for a limit of %d", used, limit)
	}
	if _, err := r.Read(); err != io.EOF {
		t.Errorf("after it: %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}
