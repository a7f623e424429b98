package event_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/event"
)

// body is what all typed bodies can do.
type body interface {
	json.Marshaler
	Validate() error
}

var onlyBodyFields = cmpopts.IgnoreUnexported(event.Log{}, event.Thought{}, event.ToolCall{}, event.ToolResult{}, event.Status{},
	event.Metric{}, event.ArtifactRef{}, event.Delegate{}, event.Progress{}, event.ResultChunk{})

func raw(text string) json.RawMessage { return json.RawMessage(text) }

// Bodies as they come, what they are read as, and how the same values are written when built in memory.
var bodyTests = []struct {
	rule, kind, text string
	want             body
	built            string
}{
	{"log", event.KindLog, `{"level":"info","message":"a \"b\" <c>"}`, event.Log{Level: "info", Message: `a "b" <c>`},
		`{"level":"info","message":"a \"b\" <c>"}`},
	{"log with an empty message", event.KindLog, `{"message":"","level":"INFO"}`, event.Log{Level: "INFO"}, `{"level":"INFO","message":""}`},
	{"thought", event.KindThought, ` { "text" : "\u0041\n" } `, event.Thought{Text: "A\n"}, `{"text":"A\n"}`},
	{"text for people with half a surrogate pair", event.KindThought, `{"text":"a\ud83d"}`, event.Thought{Text: "a\ufffd"}, "{\"text\":\"a\ufffd\"}"},
	{"tool_call", event.KindToolCall, `{"tool":"search.web","args":{ "q":1.0 },"call_id":"c_1"}`,
		event.ToolCall{Tool: "search.web", Args: raw(`{ "q":1.0 }`), CallID: "c_1"}, `{"tool":"search.web","args":{ "q":1.0 },"call_id":"c_1"}`},
	{"tool_call with null for arguments", event.KindToolCall, `{"args":null,"tool":"t","call_id":"c"}`,
		event.ToolCall{Tool: "t", Args: raw(`null`), CallID: "c"}, `{"tool":"t","args":null,"call_id":"c"}`},
	{"tool_result", event.KindToolResult, `{"call_id":"c","result":[1]}`, event.ToolResult{CallID: "c", Result: raw(`[1]`)}, `{"call_id":"c","result":[1]}`},
	{"tool_result with an error", event.KindToolResult, `{"call_id":"c","error":{"code":"TIMEOUT","retryable":true}}`,
		event.ToolResult{CallID: "c", Error: raw(`{"code":"TIMEOUT","retryable":true}`)}, `{"call_id":"c","error":{"code":"TIMEOUT","retryable":true}}`},
	{"status", event.KindStatus, `{"phase":"running"}`, event.Status{Phase: "running"}, `{"phase":"running"}`},
	{"status with a message", event.KindStatus, `{"message":"m","phase":"p"}`, event.Status{Phase: "p", Message: "m"}, `{"phase":"p","message":"m"}`},
	{"status with null for a message", event.KindStatus, `{"phase":"p","message":null}`, event.Status{Phase: "p"}, `{"phase":"p"}`},
	{"metric", event.KindMetric, `{"name":"cost.inference","value":0.0234,"unit":"USD"}`,
		event.Metric{Name: "cost.inference", Value: "0.0234", Unit: "USD"}, `{"name":"cost.inference","value":0.0234,"unit":"USD"}`},
	{"metric with dimensions", event.KindMetric, `{"name":"n","value":-0.12,"dimensions":{"tier": "warm"}}`,
		event.Metric{Name: "n", Value: "-0.12", Dimensions: raw(`{"tier": "warm"}`)}, `{"name":"n","value":-0.12,"dimensions":{"tier": "warm"}}`},
	{"a number of twenty digits", event.KindMetric, `{"name":"n","value":12345678901234567890}`, event.Metric{Name: "n", Value: "12345678901234567890"},
		`{"name":"n","value":12345678901234567890}`},
	{"a number beyond float64", event.KindMetric, `{"name":"n","value":1e400}`, event.Metric{Name: "n", Value: "1e400"}, `{"name":"n","value":1e400}`},
	{"a number's own text", event.KindMetric, `{"name":"n","value":-0.10E+02}`, event.Metric{Name: "n", Value: "-0.10E+02"}, `{"name":"n","value":-0.10E+02}`},
	{"progress with null for a total", event.KindProgress, `{"current":1,"total":null}`, event.Progress{Current: "1"}, `{"current":1}`},
	{"artifact_ref", event.KindArtifactRef, `{"uri":"s3://a","content_type":"image/png","byte_size":18446744073709551616,"sha256":"` + sha + `"}`,
		event.ArtifactRef{URI: "s3://a", ContentType: "image/png", ByteSize: "18446744073709551616", SHA256: sha},
		`{"uri":"s3://a","content_type":"image/png","byte_size":18446744073709551616,"sha256":"` + sha + `"}`},
	{"delegate of the TypeScript library", event.KindDelegate, `{"delegate_id":"d","agent":"child","input":{"n":42}}`,
		event.Delegate{Agent: "child", DelegateID: "d", Input: raw(`{"n":42}`)}, `{"delegate_id":"d","agent":"child","input":{"n":42}}`},
	{"delegate of the Go library", event.KindDelegate, `{"agent":"child","child_job_id":"j","lease":{"fs.read":["/a"]}}`,
		event.Delegate{Agent: "child", ChildJobID: "j", Lease: raw(`{"fs.read":["/a"]}`)}, `{"agent":"child","child_job_id":"j","lease":{"fs.read":["/a"]}}`},
	{"progress", event.KindProgress, `{"current":47,"total":120,"units":"files","message":"m"}`,
		event.Progress{Current: "47", Total: "120", Units: "files", Message: "m"}, `{"current":47,"total":120,"units":"files","message":"m"}`},
	{"progress of a fraction", event.KindProgress, `{"current":1.5}`, event.Progress{Current: "1.5"}, `{"current":1.5}`},
	{"progress at zero", event.KindProgress, `{"current":0,"total":0.0}`, event.Progress{Current: "0", Total: "0.0"}, `{"current":0,"total":0.0}`},
	{"result_chunk", event.KindResultChunk, `{"result_id":"r","chunk_seq":3,"data":"abc","encoding":"utf8","more":true}`,
		event.ResultChunk{ResultID: "r", ChunkSeq: 3, Data: "abc", Encoding: "utf8", More: true}, `{"result_id":"r","chunk_seq":3,"data":"abc","encoding":"utf8","more":true}`},
	{"result_chunk, all zero values meant", event.KindResultChunk, `{"result_id":"r","chunk_seq":0,"data":"","encoding":"base64","more":false}`,
		event.ResultChunk{ResultID: "r", Encoding: "base64"}, `{"result_id":"r","chunk_seq":0,"data":"","encoding":"base64","more":false}`},
	{"unknown fields are kept, whatever their case", event.KindStatus, `{"Phase":1, "phase":"p","x":[ 1.0 ],"":"\ud83d"}`,
		event.Status{Phase: "p", Extra: fields{"Phase": raw("1"), "x": raw("[ 1.0 ]"), "": raw(`"\ud83d"`)}}, `{"phase":"p","":"\ud83d","Phase":1,"x":[ 1.0 ]}`},
	{"a name with an escape", event.KindThought, `{"te\u0078t":"t"}`, event.Thought{Text: "t"}, `{"text":"t"}`},
}

const sha = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

func TestBodies(t *testing.T) {
	for _, test := range bodyTests {
		t.Run(test.rule, func(t *testing.T) {
			got, err := event.Event{Kind: test.kind, Body: raw(test.text)}.DecodeBody()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(any(test.want), got, onlyBodyFields); diff != "" {
				t.Errorf("body differs (-want +got):\n%s", diff)
			}
			if text, err := got.(body).MarshalJSON(); err != nil || string(text) != test.text {
				t.Errorf("untouched, it is written as %s, %v, was %s", text, err, test.text)
			}
			if err := got.(body).Validate(); err != nil {
				t.Error(err)
			}
			if text, err := test.want.MarshalJSON(); err != nil || string(text) != test.built {
				t.Errorf("built in memory, it is written as %s, %v, want %s", text, err, test.built)
			}
			if err := test.want.Validate(); (err != nil) != strings.Contains(test.rule, "empty message") {
				t.Errorf("built in memory: %v", err)
			}
			if e, err := event.New(test.kind, got); err != nil || string(e.Body) != test.text {
				t.Errorf("New takes the body as %s, %v, want %s", e.Body, err, test.text)
			}
		})
	}
}

func TestDecodeBodyOfOtherKinds(t *testing.T) {
	for _, test := range []struct{ rule, kind, text string }{
		{"a vendor's", "x-vendor.acme.thumbnail", `{"a":1,"a":2}`},
		{"the protocol's name space", "x-vendor.arcp.future", `"x"`},
		{"a later version's", "telemetry", `[1.0]`},
		{"a kind in another case", "Progress", `{"current":"x"}`},
		{"none", "", `null`},
		{"no body", "x-vendor.acme.ping", ``},
	} {
		t.Run(test.rule, func(t *testing.T) {
			var in json.RawMessage
			if test.text != "" {
				in = raw(test.text)
			}
			got, err := event.Event{Kind: test.kind, Body: in}.DecodeBody()
			if diff := cmp.Diff(any(in), got); diff != "" || err != nil {
				t.Errorf("DecodeBody gave %v and differs (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestDecodeBodyRefuses(t *testing.T) {
	for _, test := range []struct {
		rule, kind, text string
		is               error
		want             string
	}{
		{"no body", event.KindLog, ``, envelope.ErrInvalid, `the event has no body`},
		{"null", event.KindLog, `null`, envelope.ErrSyntax, `byte 0: want a JSON object`},
		{"a string", event.KindThought, `"secret"`, envelope.ErrSyntax, `byte 0: want a JSON object`},
		{"a field twice", event.KindLog, `{"level":"a","level":"b"}`, envelope.ErrDuplicate, `field "level": byte 13: the name is there twice`},
		{"an unknown field twice", event.KindLog, `{"x":1,"x":2}`, envelope.ErrDuplicate, `field "x": byte 7: the name is there twice`},
		{"a string field that is a number", event.KindLog, `{"level":7391}`, envelope.ErrType, `field "level": byte 9: want a string, got a number`},
		{"a text that is an object", event.KindThought, `{"text":{"secret":1}}`, envelope.ErrType, `field "text": byte 8: want a string, got an object`},
		{"a number that is a string", event.KindProgress, `{"current":"7391"}`, envelope.ErrType, `field "current": byte 11: want a number, got a string`},
		{"a number that is an array", event.KindMetric, `{"value":[1]}`, envelope.ErrType, `field "value": byte 9: want a number, got an array`},
		{"chunk_seq with a fraction", event.KindResultChunk, `{"chunk_seq":1.0}`, envelope.ErrType,
			`field "chunk_seq": byte 13: want digits only, from 0 to 18446744073709551615, got another number`},
		{"chunk_seq below zero", event.KindResultChunk, `{"chunk_seq":-1}`, envelope.ErrType,
			`field "chunk_seq": byte 13: want digits only, from 0 to 18446744073709551615, got another number`},
		{"chunk_seq that is true", event.KindResultChunk, `{"chunk_seq":true}`, envelope.ErrType, `field "chunk_seq": byte 13: want a number, got a boolean`},
		{"more that is a string", event.KindResultChunk, `{"more":"true"}`, envelope.ErrType, `field "more": byte 8: want a boolean, got a string`},
		{"half of a surrogate pair in an identifier", event.KindToolCall, `{"call_id":"a\ud83d"}`, envelope.ErrType,
			`field "call_id": byte 11: the string holds half of a surrogate pair, which no text can represent`},
		{"half of a surrogate pair in a result", event.KindResultChunk, `{"data":"a\ud83d"}`, envelope.ErrType,
			`field "data": byte 8: the string holds half of a surrogate pair, which no text can represent`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			var in json.RawMessage
			if test.text != "" {
				in = raw(test.text)
			}
			got, err := event.Event{Kind: test.kind, Body: in}.DecodeBody()
			if want := fmt.Sprintf("arcp: event body of kind %q: %s", test.kind, test.want); err == nil || err.Error() != want || !errors.Is(err, test.is) {
				t.Errorf("DecodeBody gave %v\nwant %s", err, want)
			}
			if got != nil {
				t.Errorf("a failed DecodeBody gave %v", got)
			}
		})
	}
}

func TestUnmarshalBody(t *testing.T) {
	kept := event.Progress{Current: "1", Extra: fields{"a": raw("1")}}
	if err := kept.UnmarshalJSON([]byte(`{"current":2,"total":"x"}`)); err == nil || kept.Current != "1" || len(kept.Extra) != 1 {
		t.Errorf("a failed UnmarshalJSON gave %v and left %v", err, kept)
	}
	data := []byte(`{"total":2,"b":3}`)
	if err := kept.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	clear(data)
	if diff := cmp.Diff(event.Progress{Total: "2", Extra: fields{"b": raw("3")}}, kept, onlyBodyFields); diff != "" {
		t.Errorf("UnmarshalJSON shares data, or left something (-want +got):\n%s", diff)
	}
}

// TestEveryBodyInEncodingJSON: all of them are a json.Unmarshaler, which keeps what the struct's tags could not.
func TestEveryBodyInEncodingJSON(t *testing.T) {
	for _, test := range bodyTests {
		t.Run(test.rule, func(t *testing.T) {
			target := reflect.New(reflect.TypeOf(test.want))
			if err := json.Unmarshal([]byte(test.text), target.Interface()); err != nil {
				t.Fatal(err)
			}
			got := target.Elem().Interface().(body)
			if diff := cmp.Diff(test.want, got, onlyBodyFields); diff != "" {
				t.Errorf("body differs (-want +got):\n%s", diff)
			}
			// encoding/json hands over a value without the white space around it.
			if text, err := got.MarshalJSON(); err != nil || string(text) != strings.TrimSpace(test.text) {
				t.Errorf("untouched, it is written as %s, %v, was %s", text, err, test.text)
			}
		})
	}
}

func TestBodyEdits(t *testing.T) {
	const chunk = `{"more":true, "data": "a" ,"chunk_seq":1,"encoding":"utf8","result_id":"r","x":1.0}`
	for _, test := range []struct {
		rule, text string
		edit       func(*event.ResultChunk)
		want       string
	}{
		{"the same values again", chunk, func(c *event.ResultChunk) { c.Data, c.More, c.ChunkSeq = "a", true, 1 }, chunk},
		{"false where true was", chunk, func(c *event.ResultChunk) { c.More = false }, strings.Replace(chunk, "true", "false", 1)},
		{"zero where one was", chunk, func(c *event.ResultChunk) { c.ChunkSeq = 0 }, strings.Replace(chunk, `seq":1`, `seq":0`, 1)},
		{"an empty required string", chunk, func(c *event.ResultChunk) { c.Data = "" }, strings.Replace(chunk, `"a"`, `""`, 1)},
		{"another unknown field", chunk, func(c *event.ResultChunk) { c.Extra = fields{"y": raw(" 2 ")} }, strings.Replace(chunk, `,"x":1.0`, `,"y":2`, 1)},
		{"zero values of what was absent", `{"result_id":"r"}`, func(c *event.ResultChunk) { c.ChunkSeq, c.More = 0, false }, `{"result_id":"r"}`},
		{"other values of what was absent", `{"result_id":"r"}`, func(c *event.ResultChunk) { c.ChunkSeq, c.More = 1, true }, `{"result_id":"r","chunk_seq":1,"more":true}`},
		{"values where null was", `{"chunk_seq":null,"data":null, "more":null}`, func(c *event.ResultChunk) { c.ChunkSeq, c.Data, c.More = 1, "d", true }, `{"chunk_seq":1,"data":"d", "more":true}`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			var first event.ResultChunk
			if err := json.Unmarshal([]byte(test.text), &first); err != nil {
				t.Fatal(err)
			}
			c := first
			test.edit(&c)
			if got, err := c.MarshalJSON(); err != nil || string(got) != test.want {
				t.Errorf("edited: %s, %v\nwant    %s", got, err, test.want)
			}
			if got, err := first.MarshalJSON(); err != nil || string(got) != test.text {
				t.Errorf("the original: %s, %v\nwant          %s", got, err, test.text)
			}
		})
	}

	const metric = `{"name":"n", "value":1.50,"unit":"s","dimensions":{ "a":1 }}`
	for _, test := range []struct {
		rule string
		edit func(*event.Metric)
		want string
	}{
		{"a number with another text", func(m *event.Metric) { m.Value = "1.5" }, strings.Replace(metric, "1.50", "1.5", 1)},
		{"no number", func(m *event.Metric) { m.Value = "" }, strings.Replace(metric, `, "value":1.50`, "", 1)},
		{"no optional string", func(m *event.Metric) { m.Unit = "" }, strings.Replace(metric, `,"unit":"s"`, "", 1)},
		{"no raw value", func(m *event.Metric) { m.Dimensions = nil }, strings.Replace(metric, `,"dimensions":{ "a":1 }`, "", 1)},
		{"another raw value", func(m *event.Metric) { m.Dimensions = raw(" {}\n") }, strings.Replace(metric, `{ "a":1 }`, "{}", 1)},
	} {
		t.Run(test.rule, func(t *testing.T) {
			var m event.Metric
			if err := json.Unmarshal([]byte(metric), &m); err != nil {
				t.Fatal(err)
			}
			test.edit(&m)
			if got, err := m.MarshalJSON(); err != nil || string(got) != test.want {
				t.Errorf("edited: %s, %v\nwant    %s", got, err, test.want)
			}
		})
	}
}

func TestBodyEncodingRefuses(t *testing.T) {
	for _, test := range []struct {
		rule string
		body body
		want string
	}{
		{"a number that is none", event.Progress{Current: "0x10"}, `kind "progress": field "current": the text is not a JSON number`},
		{"a number with white space", event.Progress{Current: "1", Total: " 2"}, `kind "progress": field "total": the text is not a JSON number`},
		{"another value as a number", event.Metric{Value: "null"}, `kind "metric": field "value": the text is not a JSON number`},
		{"a string that is not UTF-8", event.Log{Level: "\xff"}, `kind "log": field "level": the string is not valid UTF-8`},
		{"a text that is not UTF-8", event.Log{Message: "\xff"}, `kind "log": field "message": the string is not valid UTF-8`},
		{"data that is not UTF-8", event.ResultChunk{Data: "\xff"}, `kind "result_chunk": field "data": the string is not valid UTF-8`},
		{"a raw value that is not JSON", event.ToolCall{Args: raw("secret")}, `kind "tool_call": field "args": byte 0 of the value: want a value`},
		{"an empty raw value", event.ToolCall{Args: raw("")}, `kind "tool_call": field "args": the value is empty, want a JSON value`},
		{"a field of its own in Extra", event.Status{Extra: fields{"phase": raw("1")}}, `kind "status": field "phase": it is a field of its own and may not stand among the others`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			if got, err := test.body.MarshalJSON(); err == nil || err.Error() != "arcp: event body of "+test.want || got != nil {
				t.Errorf("MarshalJSON gave %s, %v\nwant %s", got, err, test.want)
			}
			if err := test.body.Validate(); err == nil {
				t.Error("Validate finds no problem")
			}
		})
	}
}

func TestValidate(t *testing.T) {
	for _, test := range []struct {
		rule, kind, text string
		want             []string // problems
	}{
		{"log without anything", event.KindLog, `{}`, []string{`field "level": the field is missing`, `field "message": the field is missing`}},
		{"log with null", event.KindLog, `{"level":null,"message":null}`, []string{`field "level": the field is missing`, `field "message": the field is missing`}},
		{"log with an empty level", event.KindLog, `{"level":"","message":""}`, []string{`field "level": the field is missing`}},
		{"any level", event.KindLog, `{"level":"NOTICE","message":""}`, nil},
		{"thought", event.KindThought, `{}`, []string{`field "text": the field is missing`}},
		{"tool_call", event.KindToolCall, `{}`, []string{`field "tool": the field is missing`, `field "args": the field is missing`, `field "call_id": the field is missing`}},
		{"tool_result without anything", event.KindToolResult, `{}`, []string{`field "call_id": the field is missing`, `field "result": want a result or an error`}},
		{"tool_result with both", event.KindToolResult, `{"call_id":"c","result":1,"error":2}`, []string{`field "error": want a result or an error, not both`}},
		{"tool_result with null beside a result", event.KindToolResult, `{"call_id":"c","result":1,"error":null}`, nil},
		{"tool_result with null beside an error", event.KindToolResult, `{"call_id":"c","result":null,"error":{}}`, nil},
		{"tool_result of null", event.KindToolResult, `{"call_id":"c","result":null}`, nil},
		{"tool_result with a null error alone", event.KindToolResult, `{"call_id":"c","error":null}`, []string{`field "result": want a result or an error`}},
		{"status", event.KindStatus, `{"message":"m"}`, []string{`field "phase": the field is missing`}},
		{"metric", event.KindMetric, `{"dimensions":[]}`, []string{`field "name": the field is missing`, `field "value": the field is missing`, `field "dimensions": want an object`}},
		{"metric below zero", event.KindMetric, `{"name":"cost.budget.remaining","value":-0.12,"dimensions":null}`, nil},
		{"artifact_ref", event.KindArtifactRef, `{"byte_size":1.0,"sha256":"abc"}`, []string{
			`field "uri": the field is missing`, `field "content_type": the field is missing`, `field "byte_size": want digits only`, `field "sha256": want 64 hex digits`}},
		{"artifact_ref below zero", event.KindArtifactRef, `{"uri":"u","content_type":"c","byte_size":-1}`, []string{`field "byte_size": want digits only`}},
		{"sha256 of other letters", event.KindArtifactRef, `{"uri":"u","content_type":"c","sha256":"g` + sha[1:] + `"}`, []string{`field "sha256": want 64 hex digits`}},
		{"sha256 in upper case", event.KindArtifactRef, `{"uri":"u","content_type":"c","sha256":"` + strings.ToUpper(sha) + `"}`, nil},
		{"delegate", event.KindDelegate, `{}`, []string{`field "agent": the field is missing`}},
		{"progress", event.KindProgress, `{"total":1}`, []string{`field "current": the field is missing`}},
		{"progress below zero", event.KindProgress, `{"current":-0.001}`, []string{`field "current": want a number of at least 0`}},
		{"progress at minus zero", event.KindProgress, `{"current":-0.0e5}`, nil},
		{"progress at minus zero without an exponent", event.KindProgress, `{"current":-0.00}`, nil},
		{"progress at minus zero, exponent in capitals", event.KindProgress, `{"current":-0E1}`, nil},
		{"progress at minus nine", event.KindProgress, `{"current":-9}`, []string{`field "current": want a number of at least 0`}},
		{"progress at minus one", event.KindProgress, `{"current":-1}`, []string{`field "current": want a number of at least 0`}},
		{"progress beyond its total", event.KindProgress, `{"current":2,"total":1}`, nil},
		{"result_chunk", event.KindResultChunk, `{}`, []string{`field "result_id": the field is missing`, `field "chunk_seq": the field is missing`,
			`field "data": the field is missing`, `field "encoding": the field is missing`, `field "more": the field is missing`}},
		{"result_chunk with null", event.KindResultChunk, `{"result_id":"r","chunk_seq":null,"data":null,"encoding":"utf8","more":null}`, []string{
			`field "chunk_seq": the field is missing`, `field "data": the field is missing`, `field "more": the field is missing`}},
		{"another encoding", event.KindResultChunk, `{"result_id":"r","chunk_seq":0,"data":"","encoding":"UTF8","more":true}`, []string{`field "encoding": want utf8 or base64`}},
		{"base64", event.KindResultChunk, `{"result_id":"r","chunk_seq":0,"data":"+/8=","encoding":"base64","more":true}`, nil},
		{"base64 for URLs", event.KindResultChunk, `{"result_id":"r","chunk_seq":0,"data":"-_8=","encoding":"base64","more":true}`, []string{`field "data": it is not base64 with padding`}},
		{"base64 without padding", event.KindResultChunk, `{"result_id":"r","chunk_seq":0,"data":"+/8","encoding":"base64","more":true}`, []string{`field "data": it is not base64 with padding`}},
		{"base64 with a line break", event.KindResultChunk, `{"result_id":"r","chunk_seq":0,"data":"+/8=\n\n\n\n","encoding":"base64","more":true}`, []string{`field "data": it is not base64 with padding`}},
		{"base64 with bits left over", event.KindResultChunk, `{"result_id":"r","chunk_seq":0,"data":"+/9=","encoding":"base64","more":true}`, []string{`field "data": it is not base64 with padding`}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			got, err := event.Event{Kind: test.kind, Body: raw(test.text)}.DecodeBody()
			if err != nil {
				t.Fatal(err)
			}
			err = got.(body).Validate()
			if (err == nil) != (test.want == nil) {
				t.Fatalf("Validate gave %v", err)
			}
			if err == nil {
				return
			}
			var problems []string
			for _, problem := range err.(interface{ Unwrap() []error }).Unwrap() {
				var fault *event.Error
				if !errors.As(problem, &fault) || !errors.Is(problem, envelope.ErrInvalid) {
					t.Errorf("%v is no *Error for ErrInvalid", problem)
				}
				problems = append(problems, strings.TrimPrefix(problem.Error(), fmt.Sprintf("arcp: event body of kind %q: ", test.kind)))
			}
			if diff := cmp.Diff(test.want, problems); diff != "" {
				t.Errorf("problems differ (-want +got):\n%s", diff)
			}
		})
	}
}

// A value of each type with nothing in it reports what the protocol requires.
func TestValidateZero(t *testing.T) {
	for _, test := range []struct {
		body    body
		missing string
	}{
		{event.Log{}, "level message"},
		{event.Thought{}, "text"},
		{event.ToolCall{}, "tool args call_id"},
		{event.ToolResult{}, "call_id result"},
		{event.Status{}, "phase"},
		{event.Metric{}, "name value"},
		{event.ArtifactRef{}, "uri content_type"},
		{event.Delegate{}, "agent"},
		{event.Progress{}, "current"},
		{event.ResultChunk{}, "result_id encoding"}, // the last chunk may be empty, and be the first
	} {
		t.Run(fmt.Sprintf("%T", test.body), func(t *testing.T) {
			var names []string
			for _, problem := range test.body.Validate().(interface{ Unwrap() []error }).Unwrap() {
				names = append(names, problem.(*event.Error).Field)
			}
			if got := strings.Join(names, " "); got != test.missing {
				t.Errorf("%q are reported, want %q", got, test.missing)
			}
		})
	}
}
