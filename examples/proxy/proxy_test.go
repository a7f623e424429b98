package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/arcp-go/arcp/examples/internal/lines"
	"github.com/arcp-go/arcp/examples/internal/testkit"
)

// proxied runs the program with text as its standard input.
func proxied(t *testing.T, in string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(name, []byte(in), 0o644); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out, log bytes.Buffer
	status = run(args, file, &out, &log)
	return out.String(), log.String(), status
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestEmbeddedSessionIsTheRecording(t *testing.T) {
	if string(session) != read(t, "../../testdata/recordings/ts-tracing.ndjson") {
		t.Error("session.ndjson is not testdata/recordings/ts-tracing.ndjson: copy it")
	}
}

func TestEveryRecordingLeavesAsItCame(t *testing.T) {
	files, err := filepath.Glob("../../testdata/recordings/*.ndjson")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want := read(t, file)
			n := strings.Count(want, "\n")
			for way, args := range map[string][]string{"standard input": nil, "file": {file}} {
				in := want
				if args != nil {
					in = "not read"
				}
				out, log, status := proxied(t, in, args...)
				if out != want || status != 0 {
					t.Errorf("%s: status %d, %d bytes of %d", way, status, len(out), len(want))
				}
				if all := fmt.Sprintf("identical  %d of %d ", n, n); !strings.Contains(log, all) {
					t.Errorf("%s: want %q:\n%s", way, all, log)
				}
			}
		})
	}
}

func TestForward(t *testing.T) {
	const stamp = `x-vendor.acme.hop="p1"`
	tests := []struct {
		rule   string
		stamp  string
		in     string
		out    string
		status int
		log    []string // each is part of what goes to standard error
	}{
		{"nothing", "", "", "", 0, []string{"frames     0 read, 0 forwarded, 0 refused"}},
		{"line endings become a line feed", "", "{\"a\":1}\r\n{\"b\":2}", "{\"a\":1}\n{\"b\":2}\n", 0, []string{"identical  2 of 2", "bytes      16 read, 16 written"}},
		{"blank lines go", "", "\n{}\n\r\n", "{}\n", 0, []string{"frames     1 read, 1 forwarded, 0 refused", "bytes      6 read, 3 written"}},
		{"white space and escapes stay", "", " {\t\"ty\\u0070e\" : \"\\u0061\" , \"n\":1.50e+2}  \n", " {\t\"ty\\u0070e\" : \"\\u0061\" , \"n\":1.50e+2}  \n", 0, []string{"identical  1 of 1", "  a "}},
		{"a bad line is reported and skipped", "", "{\"id\":\"1\"}\n{\"id\":2}\n\n]\n{\"id\":\"3\"}\n", "{\"id\":\"1\"}\n{\"id\":\"3\"}\n", 1,
			[]string{"proxy: refused: line 2: field \"id\": byte 6: ", "proxy: refused: line 4: byte 0: ", "refused lines\n  line 2: field \"id\": byte 6: ", "identical  2 of 2", "frames     4 read, 2 forwarded, 2 refused"}},
		{"a last line that breaks off", "", "{}\n{\"id\":", "{}\n", 1, []string{"refused: line 2: field \"id\": byte 6: "}},
		{"two values of one field never pass", "", "{\"type\":\"a\",\"t\\u0079pe\":\"b\"}\n", "", 1, []string{"refused: line 1: field \"type\""}},
		{"types and names are counted", "", "{\"type\":\"a\",\"x\":1}\n{\"type\":\"a\",\"x\":1,\"y\":2}\n{}\n", "{\"type\":\"a\",\"x\":1}\n{\"type\":\"a\",\"x\":1,\"y\":2}\n{}\n", 0,
			[]string{"message types\n  a             2\n  (empty)       1\n", "extensions\n  x       2\n  y       1\n"}},
		{"a stamp is added", stamp, "{}\n{\"type\":\"a\" }\r\n", "{\"x-vendor.acme.hop\":\"p1\"}\n{\"type\":\"a\" ,\"x-vendor.acme.hop\":\"p1\"}\n", 0, []string{"identical  0 of 2"}},
		{"a stamp replaces a value in its place", stamp, "{\"x-vendor.acme.hop\":7,\"b\":1}\n", "{\"x-vendor.acme.hop\":\"p1\",\"b\":1}\n", 0, nil},
		{"a stamp that is there already leaves no trace", stamp, "{\"x-vendor.acme.hop\":\"p1\"}\n", "{\"x-vendor.acme.hop\":\"p1\"}\n", 0, []string{"identical  1 of 1"}},
		{"a stamp keeps its text", `x-vendor.acme.hop= {"a" : 1.0, "b":"\u0061"} `, "{}\n", `{"x-vendor.acme.hop":{"a" : 1.0, "b":"\u0061"}}` + "\n", 0, nil},
		{"but stays on one line", "x-vendor.acme.hop={\r\n\"a\": 1.0}", "{}\n", `{"x-vendor.acme.hop":{"a":1.0}}` + "\n", 0, nil},
		{"a name may hold an equals sign of the value only", `x-vendor.acme.hop="a=b"`, "{}\n", `{"x-vendor.acme.hop":"a=b"}` + "\n", 0, nil},
		{"bad lines are refused with a stamp too", stamp, "{}x\n", "", 1, []string{"refused: line 1: "}},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			var args []string
			if tt.stamp != "" {
				args = []string{"-stamp", tt.stamp}
			}
			out, log, status := proxied(t, tt.in, args...)
			if out != tt.out || status != tt.status {
				t.Errorf("status %d, want %d; output\n%q, want\n%q", status, tt.status, out, tt.out)
			}
			for _, part := range tt.log {
				if !strings.Contains(log, part) {
					t.Errorf("standard error lacks %q:\n%s", part, log)
				}
			}
		})
	}
}

func TestSummary(t *testing.T) {
	in := read(t, "../../testdata/recordings/ts-resume.ndjson") + "{\"type\":5}\n" + read(t, "../../testdata/recordings/ts-tracing.ndjson")
	_, log, status := proxied(t, in, "-stamp", "x-vendor.acme.hop=1")
	if status != 1 {
		t.Errorf("status %d, want 1: a line was refused", status)
	}
	testkit.Golden(t, "summary.txt", regexp.MustCompile(`speed .*`).ReplaceAllString(log, "speed      (some) frames per second"))
}

func TestCommandLine(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	tests := []struct {
		rule   string
		args   []string
		status int
		log    string
	}{
		{"help", []string{"-h"}, 0, "Usage: proxy"},
		{"an unknown flag", []string{"-stomp"}, 2, "not defined: -stomp"},
		{"a stamp without a value", []string{"-stamp", "x-vendor.acme.a"}, 2, "want name=json"},
		{"a stamp that is no JSON", []string{"-stamp", "x-vendor.acme.a=secret"}, 2, `field "x-vendor.acme.a"`},
		{"a stamp with nothing for a value", []string{"-stamp", "x-vendor.acme.a="}, 2, `field "x-vendor.acme.a"`},
		{"a stamp that is a core field", []string{"-stamp", `type="a"`}, 2, "x-vendor."},
		{"a stamp with a reserved name", []string{"-stamp", `x-vendor.arcp.a=1`}, 2, "reserved"},
		{"two stamps", []string{"-stamp", `x-vendor.a.a=1`, "-stamp", `x-vendor.a.b=1`}, 2, "given twice"},
		{"two files", []string{"a", "b"}, 2, "too many arguments"},
		{"a file and the recording", []string{"-demo", "a"}, 2, "too many arguments"},
		{"no such file", []string{missing}, 1, "no such file"},
		{"a folder", []string{t.TempDir()}, 1, "is a directory"},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			out, log, status := proxied(t, "{}\n", tt.args...)
			if out != "" || status != tt.status || !strings.Contains(log, tt.log) {
				t.Errorf("status %d, want %d with %q; output %q\n%s", status, tt.status, tt.log, out, log)
			}
		})
	}
}

func TestDemo(t *testing.T) {
	out, log, status := proxied(t, "not read", "-demo")
	if out != string(session) || status != 0 {
		t.Errorf("status %d, output\n%s", status, out)
	}
	for _, part := range []string{"embedded recording", "identical  16 of 16", "job.event", "extensions\n"} {
		if !strings.Contains(log, part) {
			t.Errorf("standard error lacks %q:\n%s", part, log)
		}
	}
}

func TestTheNullDeviceIsNoTerminal(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	var out, log bytes.Buffer
	if status := run(nil, null, &out, &log); status != 0 || out.Len() != 0 {
		t.Errorf("status %d, %d bytes: want an empty input, not the recording", status, out.Len())
	}
}

func TestReadingFails(t *testing.T) {
	var out, log bytes.Buffer
	p := newProxy(&out, &log, nil)
	boom := errors.New("boom")
	err := p.forward(io.MultiReader(strings.NewReader("{}\n{\"half\":1}"), iotest.ErrReader(boom)))
	if err != boom {
		t.Errorf("error %v", err)
	}
	if out.String() != "{}\n" {
		t.Errorf("output %q: what was whole has to leave, and what was not must not", out.String())
	}
}

// full takes a number of bytes and fails then.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	n := min(f.room, len(p))
	f.room -= n
	if n < len(p) {
		return n, errors.New("disk full")
	}
	return n, nil
}

func TestWritingFails(t *testing.T) {
	in := strings.Repeat("{\"id\":\"1\"}\n", 100_000)
	for _, room := range []int{0, 1000, 70_000} {
		name := filepath.Join(t.TempDir(), "in")
		if err := os.WriteFile(name, []byte(in), 0o644); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		if status := run([]string{name}, nil, &full{room}, &log); status != 1 || strings.Count(log.String(), "proxy: disk full\n") != 1 {
			t.Errorf("room for %d: status %d\n%s", room, status, log.String())
		}
		if want := fmt.Sprintf(" read, %d written", room); !strings.Contains(log.String(), want) {
			t.Errorf("the summary lacks %q:\n%s", want, log.String())
		}
	}
}

func TestAMessageLeavesBeforeTheNextComes(t *testing.T) {
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	done := make(chan error)
	go func() { done <- newProxy(outWrite, io.Discard, nil).forward(inRead) }()
	for i := range 10 {
		message := fmt.Sprintf("{\"id\":\"%d\"}\n", i)
		if _, err := io.WriteString(inWrite, message+"{\"id\""); err != nil { // with the start of another
			t.Fatal(err)
		}
		got := make([]byte, len(message))
		if _, err := io.ReadFull(outRead, got); err != nil || string(got) != message {
			t.Fatalf("got %q, %v", got, err)
		}
		go func() { _, _ = io.WriteString(inWrite, ":\"x\"}\n") }() // and its end
		if _, err := io.ReadFull(outRead, make([]byte, len("{\"id\":\"x\"}\n"))); err != nil {
			t.Fatal(err)
		}
	}
	inWrite.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestLongLines(t *testing.T) {
	message := func(size int) string {
		const head, tail = `{"payload":"`, `"}`
		return head + strings.Repeat("x", size-len(head)-len(tail)) + tail + "\n"
	}
	most := message(lines.MaxBytes)
	in := most + message(lines.MaxBytes+1) + "{}\n"
	out, log, status := proxied(t, in)
	if out != most+"{}\n" || status != 1 {
		t.Errorf("status %d, %d bytes of %d", status, len(out), len(most)+3)
	}
	for _, part := range []string{"refused: line 2: ", "3 read, 2 forwarded, 1 refused"} {
		if !strings.Contains(log, part) {
			t.Errorf("standard error lacks %q:\n%.2000s", part, log)
		}
	}
}

func TestHostileInputOnTheConsole(t *testing.T) {
	var in strings.Builder
	in.WriteString("{\"type\":\"\\u001b[2J\",\"\\u001b]0;x\\u0007\":\"hunter2\",\"a\\nb\":1}\n")
	fmt.Fprintf(&in, "{\"type\":\"%s\",\"%s\":1}\n", strings.Repeat("t", 1<<20), strings.Repeat("n", 1<<20))
	fmt.Fprintf(&in, "{\"%s\":1,\"%[1]s\":1}\n", strings.Repeat("\\u001b", 1<<10))
	for i := range 5000 {
		fmt.Fprintf(&in, "{\"type\":\"t%d\",\"n%d\":1}\n{\"id\":[\"hunter2\"]}\n", i, i)
	}
	out, log, status := proxied(t, in.String())
	if status != 1 || strings.Count(out, "\n") != 5002 {
		t.Errorf("status %d, %d lines", status, strings.Count(out, "\n"))
	}
	if i := strings.IndexFunc(log, func(r rune) bool { return r < ' ' && r != '\n' }); i >= 0 {
		t.Errorf("a control character reaches the console at byte %d", i)
	}
	if strings.Contains(log, "hunter2") {
		t.Error("a value reaches the console")
	}
	_, summary, _ := strings.Cut(log, "\nframes ")
	if n := strings.Count(summary, "\n"); n > 3*(maxListed+10) {
		t.Errorf("the summary of hostile input has %d lines", n)
	}
	for _, part := range []string{"and 4901 more", "(all others)"} {
		if !strings.Contains(summary, part) {
			t.Errorf("the summary lacks %q", part)
		}
	}
	for line := range strings.Lines(log) {
		if len(line) > 1000 {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
}

func TestFlagsAreDocumented(t *testing.T) {
	_, help, _ := proxied(t, "", "-h")
	testkit.FlagDoc(t, "../../docs/proxies.md", "proxy", help)
}
