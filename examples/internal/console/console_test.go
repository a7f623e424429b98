package console

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestPrintable(t *testing.T) {
	tests := []struct {
		rule  string
		in    string
		width int
		want  string
	}{
		{"plain text stays", "job.event", 20, "job.event"},
		{"quotes and backslashes stay", `a"b\c`, 20, `a"b\c`},
		{"other scripts stay", "späť 任务 می\u200cخواهم", 20, "späť 任务 می\u200cخواهم"},
		{"an escape sequence is shown, not obeyed", "\x1b[31mred", 20, `\x1b[31mred`},
		{"so is a line break", "a\r\nb", 20, `a\r\nb`},
		{"so is an eight-bit control sequence", "\u009b31m", 20, `\u009b31m`},
		{"so is text that turns around", "a\u202eb", 20, `a\u202eb`},
		{"bytes that are not UTF-8 are shown", "a\xffb", 20, `a\xffb`},
		{"the replacement character itself stays", "a\ufffdb", 20, "a\ufffdb"},
		{"exactly the width is whole", "abcd", 4, "abcd"},
		{"one more is cut and marked", "abcde", 4, "abc…"},
		{"an escape is never cut in two", "abc\x1bd", 5, "abc…"},
		{"an escape that fits is whole", "abc\x1b", 7, `abc\x1b`},
		{"an escape that is alone and too wide", "\x1b", 2, "…"},
		{"empty stays empty", "", 4, ""},
	}
	for _, tt := range tests {
		if got := Printable(tt.in, tt.width); got != tt.want {
			t.Errorf("%s: Printable(%q, %d) = %q, want %q", tt.rule, tt.in, tt.width, got, tt.want)
		}
	}
}

func FuzzPrintable(f *testing.F) {
	f.Add("a\x1b[2Jb", 3)
	f.Add("\u202e\u009b\xff", 40)
	f.Add("", 1)
	f.Fuzz(func(t *testing.T, s string, width int) {
		width = width&0xff + 1
		got := Printable(s, width)
		if n := utf8.RuneCountInString(got); n > width {
			t.Errorf("Printable(%q, %d) has %d runes: %q", s, width, n, got)
		}
		for _, r := range got {
			if !printable(r) {
				t.Errorf("Printable(%q, %d) lets %U through", s, width, r)
			}
		}
	})
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{`"a"`, "\"\u009b\u202e\U000e0001\"", `[1, "x\ny", "😀"]`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var want any
		if strings.ContainsAny(s, "\t\r\n") || !utf8.ValidString(s) || json.Unmarshal([]byte(s), &want) != nil {
			return
		}
		got := JSON(s)
		var back any
		if err := json.Unmarshal([]byte(got), &back); err != nil {
			t.Fatalf("JSON(%q) = %q: %v", s, got, err)
		}
		if diff := cmp.Diff(want, back); diff != "" {
			t.Errorf("JSON(%q) is another value (-want +got):\n%s", s, diff)
		}
		for _, r := range got {
			if !printable(r) {
				t.Errorf("JSON(%q) lets %U through", s, r)
			}
		}
	})
}

func TestShort(t *testing.T) {
	tests := []struct{ rule, in, want string }{
		{"a ULID keeps its random end", "job_01M8Q101H7XS2D2JB9AK7AK9K4", "…K7AK9K4"},
		{"so does a UUID", "01a22e0c-2d92-7054-a0b5-48a1fb821577", "…b821577"},
		{"eight characters are whole", "sess_123", "sess_123"},
		{"nine are not", "sess_1234", "…ss_1234"},
		{"characters, not bytes", "příliš žluťoučký", "…uťoučký"},
		{"control characters do not reach the terminal", "\x1b[0m", `\x1b[0m`},
		{"nor from the end of a long one", "aaaaaaaaa\x1b]0;x\a", `…a\x1b]…`},
		{"not UTF-8", "aaaaaaaaa\xff", `…aaaaaa…`},
	}
	for _, tt := range tests {
		if got := Short(tt.in); got != tt.want {
			t.Errorf("%s: Short(%q) = %q, want %q", tt.rule, tt.in, got, tt.want)
		}
	}
}

func TestCounts(t *testing.T) {
	var c Counts
	if got := c.Sorted(); len(got) != 0 {
		t.Errorf("the zero value has %v", got)
	}
	for _, name := range []string{"b", "a", "c", "c", "", "\x1b"} {
		c.Add(name)
	}
	want := []Count{{"c", 2}, {"(empty)", 1}, {`\x1b`, 1}, {"a", 1}, {"b", 1}}
	if diff := cmp.Diff(want, c.Sorted()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCountsPrint(t *testing.T) {
	var b strings.Builder
	var c Counts
	c.Print(&b, "types")
	if b.Len() != 0 {
		t.Errorf("no counts print %q", b.String())
	}
	for _, name := range []string{"späť", "job.event", "job.event"} {
		c.Add(name)
	}
	c.Print(&b, "types")
	if want := "types\n  job.event       2\n  späť            1\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestCountsAreBounded(t *testing.T) {
	var c Counts
	for i := range 10 * maxNames {
		c.Add(fmt.Sprintf("%03d%s", i, strings.Repeat("x", 1000)))
	}
	c.Add("000" + strings.Repeat("x", 1000))
	got := c.Sorted()
	if len(got) != maxNames+1 {
		t.Fatalf("%d names kept, want %d and the rest together", len(got), maxNames)
	}
	if got[0].N != 2 {
		t.Errorf("a known name is no longer counted once the table is full: %v", got[0])
	}
	if last := got[maxNames]; last != (Count{Other, 9 * maxNames}) {
		t.Errorf("the last line is %v", last)
	}
	for _, e := range got {
		if utf8.RuneCountInString(e.Name) > nameWidth {
			t.Errorf("a name of %d characters was kept", utf8.RuneCountInString(e.Name))
		}
	}
}

func TestNotATerminal(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	file, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	for _, f := range []*os.File{null, file, r, w} {
		if IsTerminal(f) || Colour(f) {
			t.Errorf("%s passes for a terminal", f.Name())
		}
	}
	gone, err := os.Create(filepath.Join(t.TempDir(), "g"))
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	if IsTerminal(gone) {
		t.Error("a closed file passes for a terminal")
	}
}
