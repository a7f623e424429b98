package bench

import (
	"bytes"

	"github.com/goccy/go-json"
)

var goccyLibrary = library{
	unmarshal: func(data []byte, v any) error { return json.Unmarshal(data, v) },
	marshal:   json.Marshal,
	stream: func(w *bytes.Buffer, lines []byte, forward forwarder) error {
		dec, enc := json.NewDecoder(bytes.NewReader(lines)), json.NewEncoder(w)
		return drain(forward, dec.Decode, enc.Encode)
	},
}

func goccyStruct() Codec {
	return goccyLibrary.structCodec("goccy-struct", "goccy/go-json, the struct",
		LosesExtensions, LosesOrder, LosesEscapes)
}

func goccyMap() Codec {
	return goccyLibrary.mapCodec("goccy-map", "goccy/go-json, the struct and a map, decoding twice",
		LosesOrder, LosesEscapes)
}
