package bench

import (
	"encoding/json"

	"github.com/bytedance/sonic"
	"github.com/tidwall/gjson"
)

// Limits returns the lines to measure against: moving the bytes, and
// checking them in the three ways a Go program has.
func Limits() []Limit {
	return []Limit{
		{"copy", func(dst, data []byte) bool { return copy(dst, data) == len(data) }},
		{"sonic.Valid", func(_, data []byte) bool { return sonic.Valid(data) }},
		{"gjson.ValidBytes", func(_, data []byte) bool { return gjson.ValidBytes(data) }},
		{"json.Valid", func(_, data []byte) bool { return json.Valid(data) }},
	}
}
