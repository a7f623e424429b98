package envelopetest

import (
	"bytes"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// Option changes what a test of this package asks for.
type Option func(*options)

type options struct {
	asJSON  bool
	without []string
}

// EqualAsJSON accepts a message that comes back as the same JSON value, for
// codecs that write anew what they have read: white space, the order of
// fields, and the escapes of strings may differ. Numbers keep their text, names
// that stand twice in a payload stay two, and a lone surrogate stays one. Without
// this option every byte has to come back.
func EqualAsJSON() Option {
	return func(o *options) { o.asJSON = true }
}

// Without leaves out the cases of these names, for what an implementation
// refuses or changes knowingly; the test lists them in its log. A name that
// no case has fails the test, so that the list cannot rot.
func Without(names ...string) Option {
	names = slices.Clone(names)
	return func(o *options) { o.without = append(o.without, names...) }
}

// TestForward tests a function that passes a message on: a codec that decodes
// and encodes, or a proxy. It is called with the message of every fixture, one
// after the other, and may keep or change the bytes it is given. A message to be
// carried has to come back byte for byte, or as [EqualAsJSON] says; a message to
// be refused has to give an error. If t is a *testing.T, every case is a subtest.
//
// A report names the case and its rule, and shows by a diff what was lost. It
// quotes what the fixture holds, and no string that came from elsewhere.
func TestForward(t testing.TB, forward func(message []byte) ([]byte, error), opts ...Option) {
	t.Helper()
	fixtures := Fixtures()
	var names []string
	for _, f := range fixtures {
		names = append(names, f.Name)
	}
	o := newOptions(t, names, opts)
	for _, f := range fixtures {
		if o.leavesOut(f.Name) {
			continue
		}
		subtest(t, f.Name, func(t testing.TB) {
			t.Helper()
			if problem := checkForward(f, forward, o.asJSON); problem != "" {
				t.Errorf("%s: %s (%s)\n%s", f.Name, f.Rule, f.Section, problem)
			}
		})
	}
}

// checkForward returns what is wrong, or "".
func checkForward(f Fixture, forward func([]byte) ([]byte, error), asJSON bool) (problem string) {
	defer func() {
		if p := recover(); p != nil {
			problem = fmt.Sprintf("it panicked: %v\n%s", p, debug.Stack())
		}
	}()
	sent := f.Data()
	received, err := forward(bytes.Clone(sent))
	switch {
	case f.Verdict == Refuse && err == nil:
		return fmt.Sprintf("a message of %d bytes was to be refused, and %d bytes were passed on", len(sent), len(received))
	case f.Verdict == Refuse:
		return ""
	case err != nil:
		return fmt.Sprintf("a message of %d bytes was refused: %v", len(sent), err)
	}
	return compare(sent, received, asJSON)
}

// compare returns what was lost between two messages, or "".
func compare(sent, received []byte, asJSON bool) string {
	if same(sent, received, asJSON) {
		return ""
	}
	return lost(sent, received, asJSON)
}

func same(sent, received []byte, asJSON bool) bool {
	if bytes.Equal(sent, received) {
		return true
	}
	if !asJSON {
		return false
	}
	want, wantErr := parse(sent)
	got, gotErr := parse(received)
	return wantErr == nil && gotErr == nil && canonical(want) == canonical(got)
}

func newOptions(t testing.TB, names []string, opts []Option) options {
	t.Helper()
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	for _, name := range o.without {
		if !slices.Contains(names, name) {
			t.Errorf("envelopetest.Without: there is no case %q", name)
		}
	}
	if len(o.without) > 0 {
		t.Logf("%d of %d cases left out: %s", len(o.without), len(names), strings.Join(o.without, " "))
	}
	return o
}

func (o options) leavesOut(name string) bool { return slices.Contains(o.without, name) }

// subtest runs f as a subtest where t has them.
func subtest(t testing.TB, name string, f func(testing.TB)) {
	t.Helper()
	if t, ok := t.(*testing.T); ok {
		t.Run(name, func(t *testing.T) { f(t) })
		return
	}
	f(t)
}
