package main

import (
	"context"
	"log/slog"
	"unicode/utf8"

	"github.com/arcp-go/arcp/envelope"
)

// logMessage writes one line for a message, from its header alone: payloads and extension values never reach the log.
// A refusal is always logged, a message that passed at debug level, which -v turns on.
func logMessage(log *slog.Logger, direction string, h envelope.Header, size int, outcome string, r *refusal) {
	level := slog.LevelDebug
	if r != nil {
		level = slog.LevelWarn
	}
	if !log.Enabled(context.Background(), level) {
		return
	}
	attrs := []slog.Attr{slog.String("direction", direction), slog.Int("bytes", size), slog.Any("envelope", h)}
	if r != nil {
		attrs = append(attrs, slog.String("reason", r.reason), slog.String("problem", r.text))
	}
	log.LogAttrs(context.Background(), level, outcome, attrs...)
}

// cut shortens what a peer chose to a length fit for a log line.
func cut(text string) string {
	const most = 128
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}
