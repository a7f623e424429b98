//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func init() {
	// obey names each signal it gets, and exits with 7 on SIGTERM.
	children["obey"] = func([]string) int {
		signals := make(chan os.Signal, 16)
		signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2,
			syscall.SIGALRM, syscall.SIGABRT, syscall.SIGWINCH, syscall.SIGTSTP, syscall.SIGCONT)
		fmt.Println("ready")
		for s := range signals {
			fmt.Println(s)
			if s == syscall.SIGTERM {
				return 7
			}
		}
		return 1
	}
	// sleep does nothing about signals, nor about its input.
	children["sleep"] = func([]string) int {
		fmt.Println("ready")
		time.Sleep(30 * time.Second)
		return 1
	}
	// die ends itself by SIGKILL.
	children["die"] = func([]string) int {
		if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
			return 1
		}
		time.Sleep(30 * time.Second)
		return 1
	}
	// chatter writes until a write fails.
	children["chatter"] = func([]string) int {
		for {
			if _, err := os.Stdout.Write(burst(1)); err != nil {
				return 1
			}
		}
	}
}

// running starts stdiotap and waits until the child's first line says that it is ready.
func running(t *testing.T, cmd *exec.Cmd) *bufio.Reader {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	expect(t, lines, "ready")
	return lines
}

func expect(t *testing.T, lines *bufio.Reader, want string) {
	t.Helper()
	got, err := lines.ReadString('\n')
	if err != nil || got != want+"\n" {
		t.Fatalf("the child says %q, %v; want %q", got, err, want)
	}
}

func TestSignalsAreForwarded(t *testing.T) {
	cmd := start(t, childOf("obey")...)
	lines := running(t, cmd)
	for _, s := range []syscall.Signal{
		syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM, syscall.SIGABRT,
		syscall.SIGWINCH, syscall.SIGCONT, syscall.SIGINT, syscall.SIGTERM,
	} {
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		expect(t, lines, s.String())
	}
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 7 {
		t.Errorf("status %d, want the child's 7", got)
	}
}

func TestCtrlCReachesTheChildOnce(t *testing.T) {
	cmd := start(t, childOf("obey")...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	lines := running(t, cmd)
	// A terminal signals the whole group that it has in the foreground.
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	expect(t, lines, "interrupt")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	expect(t, lines, "terminated")
	_ = cmd.Wait()
}

func TestCtrlZStopsBoth(t *testing.T) {
	cmd := start(t, childOf("obey")...)
	lines := running(t, cmd)
	if err := cmd.Process.Signal(syscall.SIGTSTP); err != nil {
		t.Fatal(err)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("wait status %v, %v; want stopped", status, err)
	}
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	expect(t, lines, syscall.SIGTSTP.String())
	expect(t, lines, syscall.SIGCONT.String())
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	expect(t, lines, syscall.SIGTERM.String())
	_ = cmd.Wait()
}

func TestASignalIgnoredAtTheStartStaysIgnored(t *testing.T) {
	tap := start(t, childOf("sleep")...)
	cmd := exec.Command("/bin/sh", append([]string{"-c", `trap "" HUP; exec "$@"`, "sh"}, tap.Args...)...)
	cmd.Env = tap.Env
	running(t, cmd)
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	_ = cmd.Wait()
	if got, want := cmd.ProcessState.ExitCode(), 128+int(syscall.SIGTERM); got != want {
		t.Errorf("status %d, want %d", got, want)
	}
}

func TestStatusOfAChildThatASignalEnded(t *testing.T) {
	if _, _, status := tapped(t, nil, childOf("die")...); status != 128+int(syscall.SIGKILL) {
		t.Errorf("status %d, want 128 and the number of SIGKILL", status)
	}
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		cmd := start(t, childOf("sleep")...)
		running(t, cmd)
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if got, want := cmd.ProcessState.ExitCode(), 128+int(s); got != want {
			t.Errorf("%v: status %d, want %d", s, got, want)
		}
	}
}

func TestTheChildNoticesThatNobodyReads(t *testing.T) {
	name := filepath.Join(t.TempDir(), "rec")
	cmd := start(t, append([]string{"-o", name, "-summary"}, childOf("chatter")...)...)
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	begin := make([]byte, 10*len(burst(1)))
	if _, err := io.ReadFull(out, begin); err != nil {
		t.Fatal(err)
	}
	out.Close()
	_ = cmd.Wait()
	if got, want := cmd.ProcessState.ExitCode(), 128+int(syscall.SIGPIPE); got != want {
		t.Errorf("status %d, want %d, what the child would have without a program in between", got, want)
	}
	if !strings.Contains(log.String(), "from the child: ") || !strings.Contains(log.String(), "\nDIR ") {
		t.Error("the failure is not reported, or the summary is missing")
	}
	if !strings.HasPrefix(read(t, name+".out.ndjson"), string(begin)) {
		t.Error("what passed is not recorded")
	}
}

func TestOnlyWhatPassedIsRecorded(t *testing.T) {
	name := filepath.Join(t.TempDir(), "rec")
	cmd := start(t, append([]string{"-o", name}, childOf("sleep")...)...)
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
	expect(t, bufio.NewReader(out), "ready")
	sent := burst(20000) // more than the pipes hold: the child takes nothing
	go func() {
		_, _ = in.Write(sent) // fails when stdiotap ends
	}()
	for read(t, name+".in.ndjson") == "" {
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(100 * time.Millisecond)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if got, want := cmd.ProcessState.ExitCode(), 128+int(syscall.SIGTERM); got != want {
		t.Errorf("status %d, want %d", got, want)
	}
	got := read(t, name+".in.ndjson")
	if got == "" || len(got) >= len(sent) || !bytes.HasPrefix(sent, []byte(got)) {
		t.Errorf("%d bytes recorded of %d sent; want those that the child's pipe took", len(got), len(sent))
	}
}

func TestWithoutAReaderOfTheTable(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	cmd := start(t, append([]string{"-summary"}, childOf("echo")...)...)
	in := string(burst(100))
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), &out, w
	if err := cmd.Run(); err != nil || out.String() != in {
		t.Errorf("%v, %d bytes of %d: the traffic must go on", err, out.Len(), len(in))
	}
}
