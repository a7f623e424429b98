package bench

import (
	"bytes"
	"encoding/json"
	"io"
)

var stdlib = library{
	unmarshal: json.Unmarshal,
	marshal:   json.Marshal,
	stream: func(w *bytes.Buffer, lines []byte, forward forwarder) error {
		dec, enc := json.NewDecoder(bytes.NewReader(lines)), json.NewEncoder(w)
		return drain(forward, dec.Decode, enc.Encode)
	},
}

// drain forwards until the decoder has no more.
func drain(forward forwarder, decode, encode func(any) error) error {
	for {
		switch err := forward(decode, encode); err {
		case nil:
		case io.EOF:
			return nil
		default:
			return err
		}
	}
}

func stdStruct() Codec {
	return stdlib.structCodec("json-struct", "encoding/json, a struct of the eight fields",
		LosesExtensions, LosesOrder, LosesEscapes)
}

func stdMap() Codec {
	return stdlib.mapCodec("json-map", "encoding/json, the struct and a map of the other fields, decoding twice",
		LosesOrder, LosesEscapes)
}
