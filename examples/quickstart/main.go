// Command quickstart is the program in the README.
package main

import (
	"fmt"
	"log"

	"github.com/arcp-go/arcp/envelope"
)

func main() {
	env, err := envelope.Decode([]byte(`{"arcp":"1.1", "id":"m_1", "type":"job.submit", "session_id":"s_1",` +
		` "payload":{"max_cost":1.50, "note":"a<b"}, "timestamp":"2026-05-13T19:42:13.1234567Z", "x-vendor.acme.tier":"gold"}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(env.Type, env.Extension("x-vendor.acme.tier"))
	if err := env.SetExtension("x-vendor.acme.priority", "high"); err != nil {
		log.Fatal(err)
	}
	out, err := env.AppendJSON(nil) // every byte it did not touch is as it came
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", out)
}
