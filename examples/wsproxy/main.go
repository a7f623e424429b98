// Wsproxy stands between an ARCP client and an ARCP runtime that speak over WebSocket. It passes every message on byte
// for byte, keeps out those that two peers could read differently, and can add vendor extensions, require them,
// count and trace. See docs/proxies.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the program at once
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the program: its exit status is 0 after a shutdown or -h, 1 when it cannot run, 2 for wrong flags.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	cfg, err := parseFlags(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "wsproxy: %v\nRun wsproxy -h for the flags.\n", err)
		return 2
	}
	level := slog.LevelInfo
	if cfg.verbose {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
	if err := runProxy(ctx, cfg, log); err != nil {
		fmt.Fprintf(stderr, "wsproxy: %v\n", err)
		return 1
	}
	return 0
}

func runProxy(ctx context.Context, cfg config, log *slog.Logger) error {
	listen := net.ListenConfig{KeepAliveConfig: keepAlive(cfg.grace)}
	ln, err := listen.Listen(ctx, "tcp", cfg.listen)
	if err != nil {
		return fmt.Errorf("-listen: %w", err)
	}
	defer ln.Close()

	m := newMetrics()
	var background sync.WaitGroup
	defer background.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if cfg.metrics != "" {
		metricsLn, err := listen.Listen(ctx, "tcp", cfg.metrics)
		if err != nil {
			return fmt.Errorf("-metrics: %w", err)
		}
		log.Info("metrics", "url", "http://"+metricsLn.Addr().String()+"/metrics")
		background.Go(func() { m.serve(ctx, metricsLn) })
	}
	var tr *tracer
	if cfg.trace {
		tr = newTracer(log)
		defer tr.shutdown(cfg.grace)
	}
	target := url.URL{Scheme: cfg.target.Scheme, Host: cfg.target.Host, Path: cfg.target.Path} // no password, no query
	log.Info("listening", "url", "ws://"+ln.Addr().String(), "target", target.String())
	err = newProxy(cfg, log, m, tr).serve(ctx, ln)
	log.Info("stopped")
	return err
}
