package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/arcp-go/arcp/xvendor"
)

// A config is what the flags say.
type config struct {
	listen           string
	target           *url.URL
	stamps           []stamp
	require          []string
	requireOn        []string
	rejectLookalikes bool
	maxBytes         int64 // of one message
	handshake        time.Duration
	grace            time.Duration
	stall            time.Duration // 0 for ever
	metrics          string        // listening address; "" for none
	trace            bool
	verbose          bool
}

func (c config) patience() patience { return patience{stall: c.stall, grace: c.grace} }

const usage = `Wsproxy passes ARCP messages between WebSocket clients and one target, byte for byte.

  wsproxy -target ws://127.0.0.1:7811/arcp

A message that is no ARCP envelope, that two readers could read differently, or that lacks a required extension is
not passed on: its sender gets a session.error with the code INVALID_REQUEST, and both connections close with 1008.
Query, Authorization, Origin, every other end-to-end header and the subprotocol pass through. So does the path; a
client that asks for none gets the target's. The log is on standard error and holds no payload or extension value.

Flags:
`

// parseFlags reads the command line. It writes help to stdout and returns flag.ErrHelp when asked for it.
func parseFlags(args []string, stdout io.Writer) (config, error) {
	var cfg config
	var target string
	fs := flag.NewFlagSet("wsproxy", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // run reports the error, once
	fs.StringVar(&cfg.listen, "listen", "127.0.0.1:7800", "accept clients on this `address`; port 0 takes a free one")
	fs.StringVar(&target, "target", "", "connect clients to this ws:// or wss:// `URL`; required")
	fs.Func("stamp", "set this vendor extension on every message, both ways, as in x-vendor.acme.zone='\"eu\"',\nfrom `name=json`; an existing value is replaced; may be repeated", func(text string) error {
		s, err := parseStamp(text)
		if err != nil {
			return err
		}
		for _, other := range cfg.stamps {
			if other.name() == s.name() {
				return fmt.Errorf("%s is stamped twice", s.name())
			}
		}
		cfg.stamps = append(cfg.stamps, s)
		return nil
	})
	fs.Func("require", "refuse messages without the vendor extension of this `name`, at top level or inside\nthe object extensions; a null does not count; may be repeated", func(name string) error {
		if err := xvendor.Validate(name); err != nil && !errors.Is(err, xvendor.ErrReserved) {
			return err
		}
		cfg.require = append(cfg.require, name)
		return nil
	})
	fs.Func("require-on", "apply -require to messages of this `type`, both ways; may be repeated (default job.submit)", func(typ string) error {
		if typ == "" {
			return errors.New("want a message type such as job.submit")
		}
		cfg.requireOn = append(cfg.requireOn, typ)
		return nil
	})
	fs.BoolVar(&cfg.rejectLookalikes, "reject-lookalikes", true, "refuse messages with a field such as TYPE, which a peer that ignores letter case\nwould take for type")
	fs.Int64Var(&cfg.maxBytes, "max-bytes", 16<<20, "close with 1009 when a message is longer than this `number` of bytes")
	fs.DurationVar(&cfg.handshake, "handshake", 10*time.Second, "give client and target this `time` each for their handshake")
	fs.DurationVar(&cfg.grace, "grace", 10*time.Second, "when one side has ended, or the proxy is told to stop, give the other side this `time`\nto take what was sent and to close")
	fs.DurationVar(&cfg.stall, "stall", 2*time.Minute, "cut off a side that takes nothing for this `time` while something is to be sent to it;\n0 lets its writer wait for ever")
	fs.StringVar(&cfg.metrics, "metrics", "", "serve Prometheus metrics at http://`address`/metrics")
	fs.BoolVar(&cfg.trace, "trace", false, "record an OpenTelemetry span for every message and make it the parent of what follows;\nspans go to OTEL_EXPORTER_OTLP_ENDPOINT where that is set, else to the log")
	fs.BoolVar(&cfg.verbose, "v", false, "log every message too: its header and size, never its payload")

	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(stdout, usage)
			fs.SetOutput(stdout)
			fs.PrintDefaults()
		}
		return config{}, err
	}
	if fs.NArg() > 0 {
		return config{}, fmt.Errorf("unexpected argument %q; everything is said with flags", fs.Arg(0))
	}
	var err error
	if cfg.target, err = parseTarget(target); err != nil {
		return config{}, err
	}
	switch {
	case cfg.maxBytes < 1 || cfg.maxBytes > 1<<31-1:
		return config{}, errors.New("-max-bytes: want a number from 1 to 2147483647")
	case cfg.handshake <= 0:
		return config{}, errors.New("-handshake: want a time above 0, such as 10s")
	case cfg.grace <= 0:
		return config{}, errors.New("-grace: want a time above 0, such as 10s")
	case cfg.stall < 0:
		return config{}, errors.New("-stall: want a time such as 2m, or 0 for none")
	case len(cfg.require) == 0 && len(cfg.requireOn) > 0:
		return config{}, errors.New("-require-on does nothing without -require")
	}
	if len(cfg.require) > 0 && len(cfg.requireOn) == 0 {
		cfg.requireOn = []string{"job.submit"}
	}
	return cfg, nil
}

func parseTarget(text string) (*url.URL, error) {
	if text == "" {
		return nil, errors.New("-target is required, as in -target ws://127.0.0.1:7811/arcp")
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("-target: %w", errors.Unwrap(err)) // without the URL, which may hold a password
	}
	switch {
	case u.Scheme != "ws" && u.Scheme != "wss":
		return nil, errors.New("-target: want a URL that starts with ws:// or wss://")
	case u.Hostname() == "":
		return nil, errors.New("-target: the URL names no host")
	case u.Fragment != "" || strings.HasSuffix(text, "#"):
		return nil, errors.New("-target: a WebSocket URL has no fragment")
	}
	return u, nil
}
