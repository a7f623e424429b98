package object

import (
	"math/bits"
	"math/rand/v2"

	"github.com/arcp-go/arcp/internal/scan"
)

// The hash of a name depends on random numbers that no peer can know, so that none can make names that collide, and with them
// a message that takes quadratic time.
var (
	hashStart  = rand.Uint64()
	hashFactor = rand.Uint64() | 1
)

// mix brings every bit of a word into a hash.
func mix(hash, word uint64) uint64 {
	high, low := bits.Mul64(hash^word, hashFactor)
	return high ^ low
}

// hash is the same for two names that are equal after unescaping: the text in words of eight bytes, the last one, of seven bytes
// at most, filled up with zeros and the lowest byte of the length.
func hash(text []byte, m *Member) uint64 {
	from, to := m.Name+1, m.NameEnd-1
	if m.Escaped || to < 8 {
		return hashSlowly(m.Quoted(text))
	}
	h := hashStart
	n := uint64(to - from)
	for ; from+8 <= to; from += 8 {
		h = mix(h, scan.Load8(text, from))
	}
	last := scan.Load8(text, to-8) >> (64 - 8*uint(to-from)) // 0 where there is no rest
	return mix(h, last|n<<56)
}

// hashSlowly is hash byte by byte.
func hashSlowly(quoted []byte) uint64 {
	h := hashStart
	var word, n uint64
	scan.EachByte(quoted, func(c byte) {
		word |= uint64(c) << (8 * (n & 7))
		if n++; n&7 == 0 {
			h = mix(h, word)
			word = 0
		}
	})
	return mix(h, word|n<<56)
}
