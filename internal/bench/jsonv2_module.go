//go:build !go1.27 || !goexperiment.jsonv2

package bench

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// jsonV2Package names the implementation behind the codec jsonv2.
const jsonV2Package = "github.com/go-json-experiment/json"

type rawValue = jsontext.Value

func v2Unmarshal(data []byte, v any) error { return json.Unmarshal(data, v) }
func v2Marshal(v any) ([]byte, error)      { return json.Marshal(v) }

func v2Stream(r io.Reader, w io.Writer) (decode, encode func(any) error) {
	dec, enc := jsontext.NewDecoder(r), jsontext.NewEncoder(w)
	return func(v any) error { return json.UnmarshalDecode(dec, v) },
		func(v any) error { return json.MarshalEncode(enc, v) }
}
