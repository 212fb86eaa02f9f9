package snapshot_test

import (
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
