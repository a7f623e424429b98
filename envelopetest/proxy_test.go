package envelopetest_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/arcp-go/arcp/envelopetest"
)

// TestProxy runs the kit on a program in another process: examples/proxy, which
// forwards the lines that are messages and skips the others.
func TestProxy(t *testing.T) {
	name := filepath.Join(t.TempDir(), "proxy")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", name, "../examples/proxy").CombinedOutput(); err != nil {
		t.Fatalf("building examples/proxy: %v\n%s", err, out)
	}
	cmd := exec.Command(name)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(stdout)

	sent := 0
	envelopetest.TestForward(t, func(message []byte) ([]byte, error) {
		// A second message marks the end of what became of the first.
		sent++
		mark := fmt.Appendf(nil, `{"arcp":"1.1","id":"mark_%d","type":"session.ping"}`+"\n", sent)
		written := make(chan error, 1)
		go func() {
			_, err := in.Write(append(append(message, '\n'), mark...))
			written <- err
		}()
		var got []byte
		for {
			line, err := out.ReadBytes('\n')
			if err != nil {
				return nil, fmt.Errorf("reading from the proxy: %w", err)
			}
			if bytes.Equal(line, mark) {
				break
			}
			got = append(got, line...)
		}
		if err := <-written; err != nil {
			return nil, err
		}
		if got == nil {
			return nil, fmt.Errorf("the proxy skipped it")
		}
		return bytes.TrimSuffix(got, []byte("\n")), nil
	}, envelopetest.Without(manyLines()...))

	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if rest, err := out.Peek(1); err == nil {
		t.Errorf("the proxy went on with %q", rest)
	}
	// It says by its status that it refused lines.
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("the proxy ended with %v, want status 1", err)
	}
}
