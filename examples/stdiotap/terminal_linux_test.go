package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/arcp-go/arcp/examples/internal/testkit"
)

func TestColourOnATerminal(t *testing.T) {
	for _, noColour := range []bool{false, true} {
		screen, tty := testkit.Terminal(t)
		cmd := start(t, childOf("echo")...)
		if noColour {
			cmd.Env = append(cmd.Env, "NO_COLOR=1")
		}
		cmd.Stdin, cmd.Stderr = strings.NewReader("{}\n"), tty
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 4096)
		n, err := screen.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		got := buf[:n]
		if !bytes.Contains(got, []byte("TIME")) {
			t.Errorf("no table on the terminal: %q", got)
		}
		if coloured := bytes.Contains(got, []byte("\x1b[")); coloured == noColour {
			t.Errorf("NO_COLOR set: %t, coloured: %t:\n%q", noColour, coloured, got)
		}
	}
}
