package snapshot_test

import (
	"encoding/json"
	"fmt"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func ExampleParse() {
	s, err := snapshot.Parse([]byte(`{"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "search", "title": "Search", "x": 1.0}]}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, tool := range s.Tools.Items() {
		fmt.Println(tool.Key, "is shown as", tool.Title())
	}
	file, _ := s.Encode()
	fmt.Printf("%s", file)
	// Output:
	// search is shown as Search
	// {
	//   "mcpctl": 1,
	//   "tools": [
	//     {
	//       "name": "search",
	//       "title": "Search",
	//       "x": 1.0
	//     }
	//   ]
	// }
}

func ExampleList_Find() {
	whole := snapshot.NewList(snapshot.Tools, []json.RawMessage{json.RawMessage(`{"name": "search"}`)})
	part := snapshot.NewPart(snapshot.Tools, []json.RawMessage{json.RawMessage(`{"name": "search"}`)}, "page 2: no answer within 30s")
	fmt.Println("certain that there is no fetch:", whole.Absent("fetch"), part.Absent("fetch"))
	_, err := (&snapshot.Snapshot{Tools: part}).Encode()
	fmt.Println(err)
	// Output:
	// certain that there is no fetch: true false
	// the list of tools is truncated: page 2: no answer within 30s
}
