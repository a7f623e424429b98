package xvendor_test

import (
	"fmt"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/xvendor"
)

// Priority and Retries are fields of the company Acme.
var (
	Priority = xvendor.MustKey[string]("x-vendor.acme.priority")
	Retries  = xvendor.MustKey[int]("x-vendor.acme.retries")
)

func Example() {
	env, err := envelope.Decode([]byte(`{"arcp":"1.1","id":"m1","type":"job.submit","session_id":"s1","payload":{},"x-vendor.acme.retries":"many"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := Priority.Set(&env.Extensions, "high"); err != nil {
		fmt.Println(err)
		return
	}
	data, err := env.AppendJSON(nil)
	fmt.Println(string(data), err)

	_, present, err := Retries.Get(env.Extensions)
	fmt.Println(present, err)
	// Output:
	// {"arcp":"1.1","id":"m1","type":"job.submit","session_id":"s1","payload":{},"x-vendor.acme.retries":"many","x-vendor.acme.priority":"high"} <nil>
	// true vendor field "x-vendor.acme.retries": want int, got a string
}

func ExampleParse() {
	name, err := xvendor.Parse("x-vendor.acme.thumbnail.small")
	fmt.Println(name.Company(), name.Key(), err)

	_, err = xvendor.Parse("x-vendor.Acme.thumbnail")
	fmt.Println(err)
	// Output:
	// acme thumbnail.small <nil>
	// malformed vendor name "x-vendor.Acme.thumbnail": company at byte 9: may hold only a-z, 0-9, "_" and "-"
}

func ExampleKey_SetIn() {
	// The message comes from a library that puts vendor fields into an object, and reads them only there.
	env, err := envelope.Decode([]byte(`{"arcp":"1.1","id":"m1","type":"job.submit","extensions":{"x-vendor.acme.priority":"low"}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	err = Priority.SetIn(&env.Extensions, xvendor.Nested, "high")
	fmt.Println(string(env.Extensions["extensions"]), err)
	// Output: {"x-vendor.acme.priority":"high"} <nil>
}

func ExampleLookup() {
	env, err := envelope.Decode([]byte(`{"type":"job.submit","extensions":{"x-vendor.other.anything":[1, 2]}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	value, ok := xvendor.Lookup(env.Extensions, "x-vendor.other.anything")
	fmt.Println(string(value), ok)
	// Output: [1, 2] true
}
