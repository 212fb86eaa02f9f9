package check

import (
	"bytes"
	"encoding/json"
	"mime"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// appRules are on what tools and resources say for MCP Apps (2026-01-26). What only resources/read returns is
// not seen, and servers may leave the resources of apps out of resources/list.
var appRules = map[string]rule{
	"app-resource-uri": eachTool(func(t *item, at location) {
		meta, _ := t.fields["_meta"].(map[string]any)
		app, _ := meta["ui"].(map[string]any)
		for _, place := range []struct {
			in location
			of map[string]any
			is string
		}{{at.at("_meta", "ui"), app, "resourceUri"}, {at.at("_meta"), meta, "ui/resourceUri"}} {
			if value, given := place.of[place.is]; given {
				if uri, _ := value.(string); !strings.HasPrefix(uri, appScheme) {
					place.in.add(place.is, encoded(value), "The page of the tool is not a ui:// resource.")
				}
			}
		}
	}),
	"app-visibility-unknown": eachTool(func(t *item, at location) {
		meta, _ := t.fields["_meta"].(map[string]any)
		app, _ := meta["ui"].(map[string]any)
		value, given := app["visibility"]
		list, isList := value.([]any)
		unknown := slices.ContainsFunc(list, func(who any) bool { return who != "model" && who != "app" })
		if given && (!isList || unknown || len(list) == 0) {
			at.at("_meta", "ui").add("visibility", encoded(value),
				"visibility must name model, app or both; hosts decide by it who may call the tool.")
		}
	}),
	"app-resource-invalid": eachItem(func(i *item, at location) {
		uri, _ := i.fields["uri"].(string)
		if i.kind != snapshot.Resources || !strings.HasPrefix(uri, appScheme) {
			return
		}
		if given, _ := i.fields["mimeType"].(string); given != "" && !isAppType(given) {
			at.add("mimeType", encoded(given), "The type of a page must be text/html;profile=mcp-app.")
		}
		meta, _ := i.fields["_meta"].(map[string]any)
		app, _ := meta["ui"].(map[string]any)
		policy, _ := app["csp"].(map[string]any)
		for _, directive := range kit.SortedKeys(policy) {
			origins, _ := policy[directive].([]any)
			if slices.ContainsFunc(origins, func(o any) bool { return tooWide(directive, o) }) {
				at.at("_meta", "ui", "csp").add(directive, encoded(origins), "%s allows too many hosts: "+
					"only resourceDomains may have a wildcard, and only for subdomains.", directive)
			}
		}
	}),
}

const appScheme = "ui://"

// isAppType reports whether a media type is that of the pages of apps.
func isAppType(mimeType string) bool {
	kind, parameters, err := mime.ParseMediaType(mimeType)
	return err == nil && kind == "text/html" && parameters["profile"] == "mcp-app"
}

// tooWide reports whether an origin has a wildcard. Only subdomains of a host may have one, for resources.
func tooWide(directive string, origin any) bool {
	text, _ := origin.(string)
	_, host, _ := strings.Cut(text, "://")
	parent, subdomains := strings.CutPrefix(host, "*.")
	return strings.Contains(text, "*") && !(directive == "resourceDomains" && subdomains &&
		strings.Contains(parent, ".") && !strings.Contains(parent, "*"))
}

// forModel reports whether hosts show a tool to the model: unless its visibility is for apps alone.
func forModel(tool snapshot.Item) bool {
	var meta struct {
		Meta struct {
			UI struct{ Visibility []string }
		} `json:"_meta"`
	}
	if !bytes.Contains(tool.Raw, []byte(`"visibility"`)) || json.Unmarshal(tool.Raw, &meta) != nil {
		return true
	}
	who := meta.Meta.UI.Visibility
	return len(who) == 0 || slices.Contains(who, "model")
}
