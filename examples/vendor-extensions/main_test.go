package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/examples/internal/testkit"
)

func TestOutput(t *testing.T) {
	var out bytes.Buffer
	if err := run(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "output.txt", out.String())
}

// failing is a standard output that is gone.
type failing struct{}

var errGone = errors.New("gone")

func (failing) Write([]byte) (int, error) { return 0, errGone }

func TestErrors(t *testing.T) {
	if err := run(context.Background(), failing{}); !errors.Is(err, errGone) {
		t.Errorf("run with a broken output gave %v", err)
	}
	if err := send(envelope.NewWriter(failing{})); !errors.Is(err, errGone) {
		t.Errorf("send to a broken stream gave %v", err)
	}
	for _, test := range []struct{ rule, input, want string }{
		{"a line that is no message", "[]\n", "want a JSON object"},
		{"a priority of another type", `{"type":"job.submit","x-vendor.acme.priority":7391}` + "\n", `vendor field "x-vendor.acme.priority": want string, got a number`},
		{"a thumbnail of another type", `{"type":"job.event","payload":{"kind":"x-vendor.acme.thumbnail","body":7391}}` + "\n", `event body of kind "x-vendor.acme.thumbnail"`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			var out strings.Builder
			err := receive(context.Background(), strings.NewReader(test.input), newAcmeReceiver(&out))
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "7391") {
				t.Errorf("receive gave %v, want %s", err, test.want)
			}
		})
	}
	var out strings.Builder
	if err := receive(context.Background(), strings.NewReader(`{"type":"job.submit","id":"m"}`), newAcmeReceiver(&out)); err != nil || out.String() != "  m has priority normal\n" {
		t.Errorf("a message without a priority: %q, %v", out.String(), err)
	}
}
