package envelope_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/xvendor"
)

// A message passes through a program that knows only some of its fields.
func Example() {
	env, err := envelope.Decode([]byte(`{"id":"m_1", "type":"job.submit", "x-vendor.acme.tier":"gold", "payload":{"cost":1.50}}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(env.Type, env.Extension("x-vendor.acme.tier"))

	env.SessionID = "sess_1"
	if err := env.SetExtension("x-vendor.acme.tier", "silver"); err != nil {
		log.Fatal(err)
	}
	out, err := env.AppendJSON(nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", out)
	// Output:
	// job.submit gold
	// {"id":"m_1", "type":"job.submit", "x-vendor.acme.tier":"silver", "payload":{"cost":1.50},"session_id":"sess_1"}
}

func ExampleNew() {
	env, err := envelope.New("job.submit", map[string]string{"agent": "echo"})
	if err != nil {
		log.Fatal(err)
	}
	env.ID = "msg_1" // instead of the random one, for this example
	env.SessionID = "sess_1"
	out, err := env.AppendJSON(nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", out)
	// Output: {"arcp":"1.1","id":"msg_1","type":"job.submit","session_id":"sess_1","payload":{"agent":"echo"}}
}

func ExampleDecode_refused() {
	_, err := envelope.Decode([]byte(`{"type":"job.submit", "ty\u0070e":"job.cancel"}`))
	fmt.Println(err)
	if fault, ok := errors.AsType[*envelope.Error](err); ok {
		fmt.Println(fault.Code(), fault.Field, fault.Offset, errors.Is(err, envelope.ErrDuplicate))
	}
	// Output:
	// arcp: field "type": byte 22: the name is there twice
	// INVALID_REQUEST type 22 true
}

func ExampleOptions() {
	strict := envelope.Options{MaxBytes: 64 << 10, RejectLookalikes: true}
	_, err := strict.Decode([]byte(`{"TYPE":"job.cancel"}`))
	fmt.Println(err)
	// Output: arcp: field "TYPE": byte 1: the name is not type but equals it when letter case is ignored
}

func ExamplePeek() {
	message := []byte(`{"type":"job.event","job_id":"job_1","event_seq":7,"payload":{"kind":"log"}}`)
	h, err := envelope.Peek(message)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s of %s, number %d\n", h.Type, h.JobID, h.EventSeq)
	fmt.Println(h)
	// Output:
	// job.event of job_1, number 7
	// envelope{type="job.event" job_id="job_1" event_seq=7 payload_bytes=14}
}

func ExampleAppendSet() {
	message := []byte(`{"id":"m_1", "type":"ping" }`)
	out, err := envelope.AppendSet(nil, message, "x-vendor.acme.hop", []byte(`"edge-3"`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", out)
	// Output: {"id":"m_1", "type":"ping" ,"x-vendor.acme.hop":"edge-3"}
}

func ExampleAppendDelete() {
	message := []byte(`{"id":"m_1", "x-vendor.acme.hop":"edge-3", "type":"ping"}`)
	out, err := envelope.AppendDelete(nil, message, "x-vendor.acme.hop")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", out)
	// Output: {"id":"m_1", "type":"ping"}
}

func ExampleEnvelope_Extension() {
	env, err := envelope.Decode([]byte(`{"type":"ping","x-vendor.acme.budget":{"limit":12.5,"per":{"day":true}}}`))
	if err != nil {
		log.Fatal(err)
	}
	budget := env.Extension("x-vendor.acme.budget")
	fmt.Println(budget.Get("limit").Float(), budget.Get("per.day").Bool(), env.Extension("x-vendor.acme.other").Exists())
	// Output: 12.5 true false
}

func ExampleEnvelope_SetExtension() {
	env := &envelope.Envelope{Type: "ping"}
	fmt.Println(env.SetExtension("x-vendor.acme.tags", []string{"a<b", "c"}))
	err := env.SetExtension("x-vendor.arcp.tags", 1)
	fmt.Println(errors.Is(err, xvendor.ErrReserved))
	fmt.Printf("%s\n", env.Extensions["x-vendor.acme.tags"])
	// Output:
	// <nil>
	// true
	// ["a<b","c"]
}

func ExampleEnvelope_EditExtension() {
	env, err := envelope.Decode([]byte(`{"x-vendor.acme.budget":{ "limit" : 1.50, "labels" : ["a"] }}`))
	if err != nil {
		log.Fatal(err)
	}
	if err := env.EditExtension("x-vendor.acme.budget", "labels.-1", "b"); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", env.Extensions["x-vendor.acme.budget"])
	// Output: { "limit" : 1.50, "labels" : ["a","b"] }
}

func ExampleEnvelope_DeleteExtension() {
	env, err := envelope.Decode([]byte(`{"x-vendor.acme.tier":"gold", "type":"ping"}`))
	if err != nil {
		log.Fatal(err)
	}
	env.DeleteExtension("x-vendor.acme.tier")
	out, err := env.AppendJSON(nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", out)
	// Output: { "type":"ping"}
}

func ExampleEnvelope_Validate() {
	env, err := envelope.Decode([]byte(`{"arcp":"1.1","id":"m_1","type":"job.event","session_id":"s_1","payload":[],"event_seq":1}`))
	if err != nil {
		log.Fatal(err)
	}
	err = env.Validate()
	if problems, ok := err.(interface{ Unwrap() []error }); ok {
		for _, problem := range problems.Unwrap() {
			fmt.Println(problem)
		}
	}
	// Output:
	// arcp: field "job_id": the field is missing, which a message of type "job.event" needs
	// arcp: field "payload": byte 63: want an object, got an array
}

func ExampleEnvelope_Clone() {
	env, err := envelope.Decode([]byte(`{"type":"job.event","event_seq":1}`))
	if err != nil {
		log.Fatal(err)
	}
	next := env.Clone()
	*next.EventSeq++
	fmt.Println(*env.EventSeq, *next.EventSeq, env.Equal(*next))
	// Output: 1 2 false
}

func ExampleEnvelope_String() {
	env, err := envelope.Decode([]byte(`{"id":"m_1","payload":{"token":"secret"},"x-vendor.acme.token":"secret"}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v\n", env)
	// Output: envelope{id="m_1" payload_bytes=18 extensions=["x-vendor.acme.token"]}
}

// encoding/json takes white space out and escapes what HTML minds; AppendJSON gives the exact bytes.
func ExampleEnvelope_MarshalJSON() {
	env, err := envelope.Decode([]byte(`{"id" : "a<b"}`))
	if err != nil {
		log.Fatal(err)
	}
	reformatted, err := json.Marshal(env)
	if err != nil {
		log.Fatal(err)
	}
	exact, err := env.AppendJSON(nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n%s\n", reformatted, exact)
	// Output:
	// {"id":"a\u003cb"}
	// {"id" : "a<b"}
}

func ExampleReader() {
	r := envelope.NewReader(strings.NewReader("{\"id\":\"m_1\"}\nnot a message\n{\"id\":\"m_2\"}\n"))
	for {
		env, err := r.Read()
		if err == io.EOF {
			break
		}
		if fault, ok := errors.AsType[*envelope.Error](err); ok {
			fmt.Println(fault) // and on with the next line
			continue
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(env.ID)
	}
	// Output:
	// m_1
	// arcp: line 2: byte 0: want a JSON object
	// m_2
}

func ExampleWriter() {
	w := envelope.NewWriter(os.Stdout)
	for _, id := range []string{"m_1", "m_2"} {
		if err := w.Write(&envelope.Envelope{ID: id, Payload: json.RawMessage("{\n}")}); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// {"id":"m_1","payload":{}}
	// {"id":"m_2","payload":{}}
}
