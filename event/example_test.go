package event_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/event"
)

func ExampleMux() {
	mux := event.NewMux()
	mux.Ignored = func(_ context.Context, ev event.Event) { fmt.Println("ignored:", ev.Kind) }
	event.On(mux, event.KindProgress, func(_ context.Context, _ event.Event, p event.Progress) error {
		fmt.Println("progress:", p.Current, "of", p.Total, p.Units)
		return nil
	})

	for _, line := range []string{
		`{"arcp":"1.1","id":"m1","type":"job.event","payload":{"kind":"progress","body":{"current":1.5,"total":12,"units":"files"}}}`,
		`{"arcp":"1.1","id":"m2","type":"job.event","payload":{"kind":"x-vendor.other.telemetry","body":{"cpu":0.3}}}`,
		`{"arcp":"1.1","id":"m3","type":"job.result","payload":{}}`,
	} {
		env, err := envelope.Decode([]byte(line))
		if err == nil {
			err = mux.Handle(context.Background(), env)
		}
		if err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// progress: 1.5 of 12 files
	// ignored: x-vendor.other.telemetry
}

func ExampleNew() {
	ev, err := event.New(event.KindMetric, event.Metric{Name: "cost.inference", Value: "0.0234", Unit: "USD"})
	if err != nil {
		fmt.Println(err)
		return
	}
	ev.TS = "2026-05-13T19:42:13Z" // New has set the present time

	env, err := envelope.New(event.MessageType, ev)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(env.Payload))
	// Output: {"kind":"metric","ts":"2026-05-13T19:42:13Z","body":{"name":"cost.inference","value":0.0234,"unit":"USD"}}
}

func ExampleEvent_DecodeBody() {
	ev, err := event.Decode([]byte(`{"kind":"status","ts":"2026-05-13T19:42:13Z","body":{"phase":"running", "eta":3.0}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	body, err := ev.DecodeBody()
	if err != nil {
		fmt.Println(err)
		return
	}
	switch body := body.(type) {
	case event.Status:
		body.Phase = "rendering"
		err = ev.SetBody(body)
	case json.RawMessage: // a kind that is not the protocol's
		fmt.Println("raw:", string(body))
	}
	data, _ := ev.AppendJSON(nil)
	fmt.Println(string(data), err)
	// Output: {"kind":"status","ts":"2026-05-13T19:42:13Z","body":{"phase":"rendering", "eta":3.0}} <nil>
}

func ExampleAssembler() {
	var result event.Assembler
	for _, chunk := range []event.ResultChunk{
		{ResultID: "res_1", ChunkSeq: 0, Data: "aGVs", Encoding: event.EncodingBase64, More: true},
		{ResultID: "res_1", ChunkSeq: 2, Data: "bG8=", Encoding: event.EncodingBase64},
		{ResultID: "res_1", ChunkSeq: 1, Data: "bG8=", Encoding: event.EncodingBase64},
	} {
		if _, err := result.Add(chunk); err != nil {
			fmt.Println(err)
		}
	}
	data, complete := result.Result()
	fmt.Println(string(data), complete)
	// Output:
	// arcp: result "res_1", chunk 2: chunks are missing before this one
	// hello true
}
