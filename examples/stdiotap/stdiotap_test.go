package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/arcp-go/arcp/examples/internal/testkit"
)

// TestMain makes the test binary the program under test, and the child that it runs: both are real
// processes with real pipes. With a first argument "child:name" it is that child, else with
// STDIOTAP set it is stdiotap.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if name, ok := strings.CutPrefix(os.Args[1], "child:"); ok {
			os.Exit(children[name](os.Args[2:]))
		}
	}
	if os.Getenv("STDIOTAP") != "" {
		os.Exit(run(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// children are the ways in which a child behaves. The result is its exit status.
var children = map[string]func(args []string) int{
	// echo answers until its input ends.
	"echo": func([]string) int {
		if _, err := io.Copy(os.Stdout, os.Stdin); err != nil {
			return 1
		}
		return 0
	},
	// exit takes all input, writes its arguments to both outputs and exits with the first.
	"exit": func(args []string) int {
		if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
			return 1
		}
		fmt.Println(args)
		fmt.Fprintln(os.Stderr, "complaint", args)
		status, err := strconv.Atoi(args[0])
		if err != nil {
			return 1
		}
		return status
	},
	// hurry exits without a look at its input.
	"hurry": func([]string) int { return 9 },
	// take reads one byte of input, closes it, and exits when told so by a file.
	"take": func(args []string) int {
		if _, err := os.Stdin.Read(make([]byte, 1)); err != nil {
			return 1
		}
		os.Stdin.Close()
		fmt.Println("closed")
		return waitFor(args[0])
	},
	// mute closes its output and lives on until its input ends.
	"mute": func([]string) int {
		os.Stdout.Close()
		if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
			return 1
		}
		return 4
	},
	// burst writes lines as fast as it can and exits.
	"burst": func(args []string) int {
		n, err := strconv.Atoi(args[0])
		if err != nil {
			return 1
		}
		if _, err := os.Stdout.Write(burst(n)); err != nil {
			return 1
		}
		return 0
	},
	// heir exits and leaves a process behind that holds the output open.
	"heir": func([]string) int {
		heir := exec.Command(os.Args[0], "child:linger")
		heir.Stdout = os.Stdout
		if err := heir.Start(); err != nil {
			return 1
		}
		fmt.Println("last words")
		return 5
	},
	"linger": func([]string) int {
		time.Sleep(30 * time.Second)
		return 0
	},
}

func waitFor(file string) int {
	for range 3000 {
		if _, err := os.Stat(file); err == nil {
			return 0
		}
		time.Sleep(10 * time.Millisecond)
	}
	return 1
}

func burst(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `{"arcp":"1.1","id":"%d","type":"job.event","session_id":"s","job_id":"j","event_seq":%d,"payload":{"kind":"log","ts":"","body":{}}}`+"\n", i, i)
	}
	return b.Bytes()
}

// start prepares stdiotap with a child. The test's end kills it if it still runs.
func start(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	// The race detector lets a process wait a second at its end unless told otherwise.
	cmd.Env = append(os.Environ(), "STDIOTAP=1", "NO_COLOR=", "TERM=xterm", "GORACE=atexit_sleep_ms=0")
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// tapped runs stdiotap to its end.
func tapped(t *testing.T, in io.Reader, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := start(t, args...)
	var out, log bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &out, &log
	err := cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatalf("%v\n%s", err, log.String())
	}
	return out.String(), log.String(), cmd.ProcessState.ExitCode()
}

func childOf(name string, args ...string) []string {
	return append([]string{"--", os.Args[0], "child:" + name}, args...)
}

func recordings(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../testdata/recordings/*.ndjson")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	return files
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestEveryRecordingPassesAndIsRecorded(t *testing.T) {
	for _, file := range recordings(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want := read(t, file)
			name := filepath.Join(t.TempDir(), "rec")
			out, log, status := tapped(t, strings.NewReader(want), append([]string{"-o", name}, childOf("echo")...)...)
			if status != 0 {
				t.Errorf("status %d\n%s", status, log)
			}
			if out != want {
				t.Error("the output is not what came in")
			}
			for _, side := range []string{".in.ndjson", ".out.ndjson"} {
				if read(t, name+side) != want {
					t.Errorf("%s is not what passed", side)
				}
			}
			if got, want := strings.Count(log, "\n"), 1+2*strings.Count(want, "\n"); got != want {
				t.Errorf("%d lines of table, want %d:\n%s", got, want, log)
			}
			if strings.Contains(log, "!") {
				t.Errorf("recorded traffic has problems:\n%s", log)
			}
		})
	}
}

func TestBytesPassWhateverTheyAre(t *testing.T) {
	var all []byte
	for i := range 256 {
		all = append(all, byte(i))
	}
	tests := []struct{ rule, in string }{
		{"nothing", ""},
		{"no line ending", `{"arcp":"1.1"}`},
		{"other line endings, blank lines", "{}\r\n\r\n\n{}\r"},
		{"not text at all", string(all)},
		{"a line over the limit of the codec", strings.Repeat("[", 17<<20) + "\n{}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "rec")
			out, log, status := tapped(t, strings.NewReader(tt.in), append([]string{"-o", name}, childOf("echo")...)...)
			if status != 0 || out != tt.in || read(t, name+".in.ndjson") != tt.in || read(t, name+".out.ndjson") != tt.in {
				t.Errorf("status %d, %d bytes out and %d recorded of %d", status, len(out), len(read(t, name+".out.ndjson")), len(tt.in))
			}
			for i, line := range strings.Split(log, "\n") {
				if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' }) {
					t.Errorf("line %d of the table has control characters: %q", i+1, line)
				}
			}
		})
	}
}

// masked replaces what differs from run to run.
func masked(log string) string {
	log = regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d\.\d{3} `).ReplaceAllString(log, "hh:mm:ss.mmm ")
	return regexp.MustCompile(`(?m)^time .*$`).ReplaceAllString(log, "time (some)")
}

func TestTableAndSummary(t *testing.T) {
	for golden, in := range map[string]string{
		"ts-vendor-extensions.txt": "../../testdata/recordings/ts-vendor-extensions.ndjson",
		"hostile.txt":              "testdata/hostile.ndjson",
	} {
		file, err := os.Open(in) // read at one go, so that the rows come in one order
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		_, log, status := tapped(t, file, append([]string{"-summary"}, childOf("echo")...)...)
		if status != 0 {
			t.Errorf("status %d", status)
		}
		testkit.Golden(t, golden, masked(log))
	}
}

func TestStatus(t *testing.T) {
	dir := t.TempDir()
	notProgram := filepath.Join(dir, "not-a-program")
	if err := os.WriteFile(notProgram, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		rule string
		args []string
		want int
		log  string
	}{
		{"the child's 0", childOf("exit", "0"), 0, "complaint [0]"},
		{"the child's 3", childOf("exit", "3"), 3, "complaint [3]"},
		{"the child's 255", childOf("exit", "255"), 255, ""},
		{"a child in a hurry", childOf("hurry"), 9, ""},
		{"flags after the child are the child's", childOf("exit", "6", "-summary"), 6, "complaint [6 -summary]"},
		{"no such program", []string{"--", filepath.Join(dir, "none")}, 127, "no such file"},
		{"no such program in PATH", []string{"no-such-program-in-path"}, 127, "not found"},
		{"not a program", []string{"--", notProgram}, 126, "permission denied"},
		{"no child", nil, 2, "no child to run"},
		{"an unknown flag", []string{"-colour", "--", "true"}, 2, "not defined: -colour"},
		{"help", []string{"-h"}, 0, "Usage: stdiotap"},
		{"recordings that cannot be made", append([]string{"-o", filepath.Join(dir, "none", "x")}, childOf("exit", "8")...), 1, "no such file"},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			_, log, status := tapped(t, strings.NewReader("{}\n"), tt.args...)
			if status != tt.want || !strings.Contains(log, tt.log) {
				t.Errorf("status %d, want %d with %q:\n%s", status, tt.want, tt.log, log)
			}
		})
	}
}

func TestRecordingsAreTheirOwnersAlone(t *testing.T) {
	name := filepath.Join(t.TempDir(), "rec")
	tapped(t, strings.NewReader("{}\n"), append([]string{"-o", name}, childOf("echo")...)...)
	info, err := os.Stat(name + ".in.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got&0o077 != 0 {
		t.Errorf("mode %v: messages hold tokens", got)
	}
}

func TestMessagesPassOneByOne(t *testing.T) {
	cmd := start(t, childOf("echo")...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		message := fmt.Sprintf(`{"id":"%d"}`+"\n", i)
		if _, err := io.WriteString(in, message); err != nil {
			t.Fatal(err)
		}
		answer := make([]byte, len(message))
		if _, err := io.ReadFull(out, answer); err != nil || string(answer) != message {
			t.Fatalf("answer %q to %q, %v", answer, message, err)
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("after the end of input: %v", err)
	}
}

func TestNothingIsLostToASlowReader(t *testing.T) {
	const n = 20000
	cmd := start(t, childOf("burst", strconv.Itoa(n))...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * drainTime) // the child has gone, or waits for us
	var got bytes.Buffer
	buf := make([]byte, 100_000)
	for slow := 2; ; slow-- {
		k, err := out.Read(buf)
		got.Write(buf[:k])
		if err != nil {
			break
		}
		if slow > 0 {
			time.Sleep(2 * drainTime)
		}
	}
	if !bytes.Equal(got.Bytes(), burst(n)) {
		t.Errorf("%d bytes arrived of %d", got.Len(), len(burst(n)))
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestOutputHeldOpenByAnHeir(t *testing.T) {
	begin := time.Now()
	out, _, status := tapped(t, nil, childOf("heir")...)
	if out != "last words\n" || status != 5 {
		t.Errorf("output %q, status %d", out, status)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("waited %v for a process that is not the child", took)
	}
}

func TestInputHeldOpenDoesNotOutliveTheChild(t *testing.T) {
	in, keep, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer keep.Close()
	if _, _, status := tapped(t, in, childOf("hurry")...); status != 9 {
		t.Errorf("status %d", status)
	}
}

func TestAChildThatClosesItsOutput(t *testing.T) {
	cmd := start(t, childOf("mute")...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(out); err != nil || len(rest) != 0 {
		t.Errorf("read %q, %v; want the end at once", rest, err)
	}
	in.Close()
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 4 {
		t.Errorf("status %d", got)
	}
}

func TestAChildThatClosesItsInput(t *testing.T) {
	goOn := filepath.Join(t.TempDir(), "go-on")
	cmd := start(t, childOf("take", goOn)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, "x"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("closed\n"))); err != nil {
		t.Fatal(err)
	}
	refused := false
	for range 1000 { // one chunk is needed to notice, and may fill no pipe
		if _, err := in.Write(make([]byte, 1024)); err != nil {
			refused = true
			break
		}
		time.Sleep(time.Millisecond)
	}
	if !refused {
		t.Error("a child that takes no more input, and the writer never learns of it")
	}
	if err := os.WriteFile(goOn, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: the child went on and ended well", err)
	}
}

func TestFlagsAreDocumented(t *testing.T) {
	_, help, _ := tapped(t, nil, "-h")
	testkit.FlagDoc(t, "../../docs/proxies.md", "stdiotap", help)
}
