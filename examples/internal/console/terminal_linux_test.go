package console

import (
	"testing"

	"github.com/arcp-go/arcp/examples/internal/testkit"
)

func TestTerminal(t *testing.T) {
	_, tty := testkit.Terminal(t)
	if !IsTerminal(tty) {
		t.Fatal("a pseudo terminal does not pass for a terminal")
	}
	tests := []struct {
		rule, noColour, term string
		want                 bool
	}{
		{"a terminal gets colour", "", "xterm", true},
		{"NO_COLOR, whatever its value, means none", "0", "xterm", false},
		{"a dumb terminal gets none", "", "dumb", false},
	}
	for _, tt := range tests {
		t.Setenv("NO_COLOR", tt.noColour)
		t.Setenv("TERM", tt.term)
		if got := Colour(tty); got != tt.want {
			t.Errorf("%s: Colour = %t", tt.rule, got)
		}
	}
}
