package envelopetest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/envelopetest"
)

// A codec, or a proxy, is tested with one call in a test function.
func ExampleTestForward() {
	test := func(t *testing.T) {
		envelopetest.TestForward(t, func(message []byte) ([]byte, error) {
			e, err := envelope.Decode(message)
			if err != nil {
				return nil, err
			}
			return e.AppendJSON(nil)
		})
	}
	_ = test // func TestMyCodec(t *testing.T)
}

// A codec that writes anew what it has read can still lose nothing. What it is
// known to refuse is left out by name, and listed in the log of the test.
func ExampleTestForward_equalAsJSON() {
	test := func(t *testing.T) {
		envelopetest.TestForward(t, func(message []byte) ([]byte, error) {
			var e envelope.Envelope
			if err := json.Unmarshal(message, &e); err != nil {
				return nil, err
			}
			return json.Marshal(&e)
		}, envelopetest.EqualAsJSON(), envelopetest.Without("depth-1000-arrays"))
	}
	_ = test
}

// A transport needs a Conn at either end; the kit asks for a new pair for every case.
func ExampleTestTransport() {
	test := func(t *testing.T) {
		envelopetest.TestTransport(t, func() (a, b envelopetest.Conn) {
			aIn, bOut := io.Pipe()
			bIn, aOut := io.Pipe()
			return newStdio(aIn, aOut), newStdio(bIn, bOut)
		})
	}
	_ = test
}

// The cases can be used one by one, for instance to test a decoder.
func ExampleFixtures() {
	for _, f := range envelopetest.Fixtures() {
		if f.Name != "seq-2-64-minus-1" && f.Name != "seq-2-64" {
			continue
		}
		e, err := envelope.Decode(f.Data())
		fmt.Println(f.Name, f.Verdict, err == nil)
		if err == nil {
			fmt.Println(e.Equal(*f.Want()), *e.EventSeq)
		}
	}
	// Output:
	// seq-2-64-minus-1 carry true
	// true 18446744073709551615
	// seq-2-64 refuse false
}
