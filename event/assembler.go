package event

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/arcp-go/arcp/internal/scan"
)

// Limits of an [Assembler] whose fields are 0 or less, in bytes after decoding.
const (
	DefaultMaxChunk = 1 << 20
	DefaultMaxTotal = 64 << 20
)

// The rules by which an [Assembler] refuses a chunk. Every error of [Assembler.Add] is a [*ChunkError] that matches one of them.
var (
	ErrGap             = errors.New("chunks are missing before this one")
	ErrRepeated        = errors.New("a chunk with this number was taken before")
	ErrAfterLast       = errors.New("the last chunk was taken before")
	ErrOtherResult     = errors.New("the chunk belongs to another result")
	ErrEncodingChanged = errors.New("the encoding differs from that of the first chunk")
	ErrChunkInvalid    = errors.New("the chunk is not valid")
	ErrChunkTooLarge   = errors.New("the chunk is larger than the limit")
	ErrResultTooLarge  = errors.New("the result would be larger than the limit")
)

// ChunkError is a chunk that an [Assembler] has refused. It holds nothing of the chunk's data.
type ChunkError struct {
	ResultID string // of the chunk, cut to a sane length
	ChunkSeq uint64
	Err      error // one of the Err values of this package, or an error that wraps one
}

// Error tells result, chunk and rule.
func (e *ChunkError) Error() string {
	return "arcp: result " + strconv.QuoteToASCII(e.ResultID) + ", chunk " + strconv.FormatUint(e.ChunkSeq, 10) + ": " + e.Err.Error()
}

// Unwrap gives the rule.
func (e *ChunkError) Unwrap() error { return e.Err }

// Assembler joins the chunks of one streamed result (ARCP §8.4). Its zero value is ready, with the default limits. Take an
// Assembler for each result_id; one that refuses a chunk stays as it was, and goes on with the chunk that it waits for. It is not
// safe for concurrent use.
type Assembler struct {
	// MaxChunk and MaxTotal limit one chunk and the whole result, in bytes after decoding; exactly the limit is accepted, and 0
	// or less means the default. They are not to be changed after the first chunk.
	MaxChunk, MaxTotal int

	begun, done bool
	resultID    string
	encoding    string
	next        uint64 // the number of the chunk that it waits for
	data        []byte
}

// Add takes the next chunk, numbered from 0, and reports whether it was the last. A chunk is refused when
//
//   - it is not valid, see [ResultChunk.Validate];
//   - its ResultID or Encoding is not that of the first chunk;
//   - it comes after the last one, or was there before, which happens when a session is resumed, or others are missing before it;
//   - it is larger than MaxChunk, or the result with it than MaxTotal, for which the protocol's error is INTERNAL_ERROR (§14).
//
// The error is a [*ChunkError] that matches the rule. No more than MaxTotal bytes are ever held.
func (a *Assembler) Add(c ResultChunk) (done bool, err error) {
	data, rule := a.take(&c)
	if rule != nil {
		return a.done, &ChunkError{ResultID: scan.Clip(c.ResultID), ChunkSeq: c.ChunkSeq, Err: rule}
	}
	a.append(data)
	a.begun, a.done = true, !c.More
	a.resultID, a.encoding = c.ResultID, c.Encoding
	a.next++
	return a.done, nil
}

// Result gives the whole result, and false until the last chunk has been taken. The bytes are the caller's own.
func (a *Assembler) Result() ([]byte, bool) {
	if !a.done {
		return nil, false
	}
	return slices.Clip(a.data), true
}

// take gives the decoded data of the next chunk, or the rule by which it is refused.
func (a *Assembler) take(c *ResultChunk) (data string, rule error) {
	if err := c.problems().join(); err != nil {
		return "", fmt.Errorf("%w: %w", ErrChunkInvalid, err)
	}
	switch {
	case a.begun && c.ResultID != a.resultID:
		return "", ErrOtherResult
	case c.ChunkSeq < a.next:
		return "", ErrRepeated
	case a.done:
		return "", ErrAfterLast
	case c.ChunkSeq > a.next:
		return "", ErrGap
	case a.begun && c.Encoding != a.encoding:
		return "", ErrEncodingChanged
	}

	size := len(c.Data)
	if c.Encoding == EncodingBase64 {
		var ok bool
		if size, ok = decodedLen(c.Data); !ok {
			return "", errNotBase64
		}
	}
	switch {
	case size > limit(a.MaxChunk, DefaultMaxChunk):
		return "", ErrChunkTooLarge
	case size > limit(a.MaxTotal, DefaultMaxTotal)-len(a.data):
		return "", ErrResultTooLarge
	case c.Encoding == EncodingUTF8:
		return c.Data, nil
	}
	decoded, err := base64.StdEncoding.Strict().DecodeString(c.Data)
	if err != nil {
		return "", errNotBase64
	}
	return string(decoded), nil
}

var errNotBase64 = fmt.Errorf("%w: %s", ErrChunkInvalid, notBase64)

// append grows the buffer by doubling, as usual, but never beyond the limit.
func (a *Assembler) append(data string) {
	if need := len(a.data) + len(data); need > cap(a.data) {
		grown := make([]byte, len(a.data), min(max(2*cap(a.data), need), limit(a.MaxTotal, DefaultMaxTotal)))
		copy(grown, a.data)
		a.data = grown
	}
	a.data = append(a.data, data...)
}

func limit(n, otherwise int) int {
	if n <= 0 {
		return otherwise
	}
	return n
}
