package lines

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// collect pushes each piece through a Splitter and writes down what came out.
func collect(t *testing.T, limit int, pieces ...string) []string {
	t.Helper()
	var got []string
	s := New(limit, func(l Line) error {
		got = append(got, fmt.Sprintf("%d:%q", l.Number, l.Data))
		return nil
	})
	for _, p := range pieces {
		if n, err := io.WriteString(s, p); n != len(p) || err != nil {
			t.Fatalf("Write(%q) = %d, %v", p, n, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	return got
}

func TestSplitter(t *testing.T) {
	tests := []struct {
		rule   string
		limit  int
		pieces []string
		want   []string
	}{
		{"no input, no lines", 10, nil, nil},
		{"both endings are taken off", 10, []string{"a\nb\r\n"}, []string{`1:"a"`, `2:"b"`}},
		{"only one carriage return belongs to the ending", 10, []string{"a\r\r\n"}, []string{`1:"a\r"`}},
		{"a carriage return alone ends nothing", 10, []string{"a\rb\n"}, []string{`1:"a\rb"`}},
		{"the last line may lack its ending", 10, []string{"a\nb"}, []string{`1:"a"`, `2:"b"`}},
		{"blank lines are skipped and counted", 10, []string{"\n \t\r\na\n\n"}, []string{`3:"a"`}},
		{"a line in pieces is one line", 10, []string{"a", "b", "", "c\nd", "\r", "\n"}, []string{`1:"abc"`, `2:"d"`}},
		{"exactly the limit is whole", 3, []string{"abc\n", "abc\r\n", "abc"}, []string{`1:"abc"`, `2:"abc"`, `3:"abc"`}},
		{"one over the limit is cut to one over", 3, []string{"abcd\n"}, []string{`1:"abcd"`}},
		{"far over the limit is cut to one over", 3, []string{"abcdef", "ghi\r\n", "x\n"}, []string{`1:"abcd"`, `2:"x"`}},
		{"a carriage return inside a cut line is data", 3, []string{"abc\rd\n"}, []string{`1:"abc\r"`}},
		{"two carriage returns at the limit: one is data", 3, []string{"abc\r\r\n"}, []string{`1:"abc\r"`}},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, collect(t, tt.limit, tt.pieces...)); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSplitterStopsAtTheFirstError(t *testing.T) {
	boom := errors.New("boom")
	calls := 0
	s := New(10, func(Line) error { calls++; return boom })
	if n, err := s.Write([]byte("ab\ncd\n")); n != 3 || err != boom {
		t.Errorf("Write = %d, %v; want 3 bytes taken and the callback's error", n, err)
	}
	if n, err := s.Write([]byte("ef\n")); n != 0 || err != boom {
		t.Errorf("second Write = %d, %v; want 0 and the same error", n, err)
	}
	if err := s.Close(); err != boom {
		t.Errorf("Close = %v, want the same error", err)
	}
	if calls != 1 {
		t.Errorf("the callback ran %d times, want once", calls)
	}
}

func TestLinesAreIndependent(t *testing.T) {
	var kept [][]byte
	s := New(100, func(l Line) error { kept = append(kept, l.Data); return nil })
	if _, err := io.Copy(s, iotest.OneByteReader(strings.NewReader("first\nsecond\n"))); err != nil {
		t.Fatal(err)
	}
	_ = append(kept[0], "overrun"...)
	if got := string(bytes.Join(kept, []byte("|"))); got != "first|second" {
		t.Errorf("kept lines = %q: a line must not change once it is handed on", got)
	}
}

func TestSplitterMemoryIsBounded(t *testing.T) {
	const limit = 1 << 10
	s := New(limit, func(Line) error { return nil })
	chunk := bytes.Repeat([]byte("["), 1<<16)
	for range 100 {
		if _, err := s.Write(chunk); err != nil {
			t.Fatal(err)
		}
	}
	if cap(s.part) > 4*limit {
		t.Errorf("holds %d bytes of an endless line, limit %d", cap(s.part), limit)
	}
}

// FuzzSplitter compares with splitting the whole text at once: where the
// writes are cut must not matter.
func FuzzSplitter(f *testing.F) {
	for _, s := range []string{"", "a\nb\r\n\n c", "abc\r\r\nabcd\n\r", strings.Repeat("x", 20) + "\r\ny"} {
		f.Add([]byte(s), uint8(1), uint8(3))
	}
	f.Fuzz(func(t *testing.T, data []byte, size, limit uint8) {
		most := int(limit)
		var want []string
		parts := bytes.Split(data, []byte("\n"))
		for i, l := range parts {
			l = bytes.TrimSuffix(l, []byte("\r"))
			if len(l) > most {
				l = parts[i][:most+1]
			}
			if strings.Trim(string(l), " \t\r") != "" {
				want = append(want, fmt.Sprintf("%d:%q", i+1, l))
			}
		}
		var pieces []string
		for rest := string(data); rest != ""; {
			n := min(int(size)+1, len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		if diff := cmp.Diff(want, collect(t, most, pieces...)); diff != "" {
			t.Errorf("lines of %q (-want +got):\n%s", data, diff)
		}
	})
}
