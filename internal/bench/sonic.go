package bench

import (
	"bytes"

	"github.com/bytedance/sonic"
)

var sonicLibrary = library{
	unmarshal: sonic.Unmarshal,
	marshal:   sonic.Marshal,
	stream: func(w *bytes.Buffer, lines []byte, forward forwarder) error {
		dec, enc := sonic.ConfigDefault.NewDecoder(bytes.NewReader(lines)), sonic.ConfigDefault.NewEncoder(w)
		return drain(forward, dec.Decode, enc.Encode)
	},
}

// SonicNative reports whether sonic runs its own compiled code here; on a Go
// version or processor it does not know it calls encoding/json, and a
// measurement of it would be one of encoding/json.
func SonicNative() bool { return sonic.APIKind == sonic.UseSonicJSON }

func sonicStruct() Codec {
	return sonicLibrary.structCodec("sonic-struct", "bytedance/sonic, the struct",
		LosesExtensions, LosesOrder)
}

func sonicMap() Codec {
	return sonicLibrary.mapCodec("sonic-map", "bytedance/sonic, the struct and a map, decoding twice",
		LosesOrder)
}
