//go:build go1.27 && goexperiment.jsonv2

package envelope

import (
	"encoding/json/jsontext"
)

// MarshalJSONTo implements the MarshalerTo of encoding/json/v2. The encoder's own options rule over how the bytes of
// [Envelope.AppendJSON] are written: by default it takes out white space, writes strings with fewer escapes, and refuses lone
// surrogates and nested duplicates, which AppendJSON carries.
func (e Envelope) MarshalJSONTo(enc *jsontext.Encoder) error {
	data, err := e.AppendJSON(nil)
	if err != nil {
		return err
	}
	return enc.WriteValue(data)
}

// UnmarshalJSONFrom implements the UnmarshalerFrom of encoding/json/v2, under the default [Options]. It copies. The decoder's
// own options rule over what it reads: by default it refuses lone surrogates and nested duplicates, which [Decode] carries. On
// an error e stays as it was.
func (e *Envelope) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}
	return e.UnmarshalJSON(value)
}
