package main

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// knownTypes are the message types that are counted by name. A peer chooses the type, so every other one is counted as
// "other": otherwise a peer could fill the memory of this program and of whatever scrapes it.
var knownTypes = func() map[string]string {
	known := map[string]string{}
	for _, typ := range []string{
		"session.hello", "session.welcome", "session.resume", "session.error", "session.close", "session.closed", "session.bye",
		"session.ping", "session.pong", "session.ack", "session.list_jobs", "session.jobs",
		"job.submit", "job.accepted", "job.event", "job.result", "job.error", "job.cancel",
		"job.subscribe", "job.subscribed", "job.unsubscribe",
	} {
		known[typ] = typ
	}
	return known
}()

func typeLabel(typ []byte) string {
	if known, ok := knownTypes[string(typ)]; ok {
		return known
	}
	return "other"
}

// metrics are the proxy's counters in a registry of their own.
type metrics struct {
	registry    *prometheus.Registry
	messages    *prometheus.CounterVec // by direction, type
	bytes       *prometheus.CounterVec // by direction, type
	refused     *prometheus.CounterVec // by direction, reason
	forwarding  *prometheus.HistogramVec
	live        prometheus.Gauge
	connections *prometheus.CounterVec // by result
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		messages: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "arcp_wsproxy_messages_total", Help: "Messages forwarded.",
		}, []string{"direction", "type"}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "arcp_wsproxy_message_bytes_total", Help: "Bytes of the messages forwarded, as they were sent on.",
		}, []string{"direction", "type"}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "arcp_wsproxy_refused_total", Help: "Messages refused, each of which ended its connection.",
		}, []string{"direction", "reason"}),
		forwarding: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "arcp_wsproxy_forward_seconds",
			Help:    "Time from having read a message to having written it, waiting for a slow reader included.",
			Buckets: prometheus.ExponentialBuckets(10e-6, 4, 11), // 10 µs to 10.5 s
		}, []string{"direction"}),
		live: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "arcp_wsproxy_connections", Help: "Connections that are joined to the target now.",
		}),
		connections: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "arcp_wsproxy_connections_total", Help: "Connections asked for, by what became of the handshake.",
		}, []string{"result"}),
	}
	m.registry.MustRegister(m.messages, m.bytes, m.refused, m.forwarding, m.live, m.connections,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) forward(direction string, typ []byte, size int, took time.Duration) {
	label := typeLabel(typ)
	m.messages.WithLabelValues(direction, label).Inc()
	m.bytes.WithLabelValues(direction, label).Add(float64(size))
	m.forwarding.WithLabelValues(direction).Observe(took.Seconds())
}

func (m *metrics) refuse(direction, reason string) {
	m.refused.WithLabelValues(direction, reason).Inc()
}

func (m *metrics) connection(result string) {
	m.connections.WithLabelValues(result).Inc()
}

// serve answers GET /metrics on ln until ctx ends.
func (m *metrics) serve(ctx context.Context, ln net.Listener) {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { _ = srv.Close() })()
	_ = srv.Serve(ln) // ends when the server is closed
}
