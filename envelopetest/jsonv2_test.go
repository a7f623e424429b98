//go:build go1.27 && goexperiment.jsonv2

package envelopetest_test

import (
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
	"errors"
	"slices"
	"testing"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/envelopetest"
)

// refusedByV2 are the cases that a codec carries and the options of
// encoding/json/v2 refuse by default: names that stand twice below the top level,
// and lone surrogates.
var refusedByV2 = []string{
	"duplicate-nested-in-payload",
	"duplicate-nested-in-extension",
	"surrogate-before-letter",
	"surrogate-high-in-payload",
	"surrogate-in-extension",
	"surrogate-in-nested-extension-name",
	"surrogate-in-nested-name",
	"surrogate-low-in-payload",
	"surrogate-reversed",
	"surrogate-two-high",
	"surrogate-upper-hex",
}

func throughV2(message []byte, opts ...jsonv2.Options) ([]byte, error) {
	var e envelope.Envelope
	if err := jsonv2.Unmarshal(message, &e, opts...); err != nil {
		return nil, err
	}
	return jsonv2.Marshal(&e, opts...)
}

func TestEncodingJSONV2(t *testing.T) {
	envelopetest.TestForward(t, func(message []byte) ([]byte, error) {
		return throughV2(message)
	}, envelopetest.EqualAsJSON(), envelopetest.Without(refusedByV2...))
}

// TestEncodingJSONV2Refuses shows that the cases left out are refused, and by
// encoding/json/v2, not by the Envelope.
func TestEncodingJSONV2Refuses(t *testing.T) {
	for _, f := range envelopetest.Fixtures() {
		if !slices.Contains(refusedByV2, f.Name) {
			continue
		}
		_, err := throughV2(f.Data())
		if syntactic := new(jsontext.SyntacticError); !errors.As(err, &syntactic) {
			t.Errorf("%s: error %v, want one of encoding/json/v2's syntax", f.Name, err)
		}
	}
}

// TestEncodingJSONV2Allowing: with options that allow them, those cases are
// carried too.
func TestEncodingJSONV2Allowing(t *testing.T) {
	allow := jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))
	for _, f := range envelopetest.Fixtures() {
		if !slices.Contains(refusedByV2, f.Name) {
			continue
		}
		got, err := throughV2(f.Data(), allow)
		if err != nil || string(got) != string(f.Data()) {
			t.Errorf("%s: %d bytes of %d, error %v", f.Name, len(got), len(f.Data()), err)
		}
	}
}
