package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/arcp-go/arcp/examples/internal/testkit"
)

func TestATerminalAsInputRunsTheRecording(t *testing.T) {
	_, tty := testkit.Terminal(t)
	var out, log bytes.Buffer
	if status := run(nil, tty, &out, &log); status != 0 || out.String() != string(session) {
		t.Errorf("status %d, %d bytes\n%s", status, out.Len(), log.String())
	}
	out.Reset()
	if status := run([]string{"-stamp", "x-vendor.acme.hop=1"}, tty, &out, &log); status != 0 || strings.Count(out.String(), `"x-vendor.acme.hop":1}`) != 16 {
		t.Errorf("with a stamp: status %d\n%s", status, log.String())
	}
}
