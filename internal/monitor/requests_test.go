package monitor

import (
	"net/url"
	"strings"
)

// request is one request of the test of the description, and the status of the answer to it.
type request struct {
	operation, method, path, body string
	headers                       []string
	status                        string
	before                        func(*Monitor)
	ends                          bool // the events end before, so that the answer has an end
}

func (r request) name() string {
	return strings.Join(append([]string{r.method, r.path, r.status}, r.headers...), " ")
}

// requests are those that get every answer there is.
func requests() []request {
	server := "/v1/servers/" + url.PathEscape(odd)
	one := func(method, path, operation, status string, headers ...string) request {
		return request{operation: method + " " + operation, method: method, path: path, status: status, headers: headers}
	}
	ready := one("GET", "/readyz", "/readyz", "200")
	ready.before = func(m *Monitor) { m.Watch(five()[:2]) }
	ending := one("GET", "/readyz", "/readyz", "503")
	ending.ends = true
	events := one("GET", "/v1/events", "/v1/events", "200", "Last-Event-ID: other-1")
	events.ends = true
	crowded := one("GET", "/v1/events", "/v1/events", "503")
	crowded.before = func(m *Monitor) { m.meter.subscribers.Add(maxSubscribers) }
	late := one("POST", server+"/refresh", "/v1/servers/{name}/refresh", "503")
	late.ends = true
	noJSON := one("POST", server+"/refresh", "/v1/servers/{name}/refresh", "415", "Content-Type: text/plain")
	noJSON.body = "now"
	withJSON := one("POST", server+"/refresh", "/v1/servers/{name}/refresh", "202", "Content-Type: application/json; charset=utf-8")
	withJSON.body = "{}"
	all := []request{
		one("GET", "/", "/", "200"), one("GET", "/", "/", "200", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"),
		one("GET", server+"/changes", "/v1/servers/{name}/changes", "200"), one("GET", "/v1/servers/nobody/changes", "/v1/servers/{name}/changes", "404"),
		one("GET", "/healthz", "/healthz", "200"), one("GET", "/readyz", "/readyz", "503"), ready, ending,
		one("GET", "/metrics", "/metrics", "200"), one("GET", "/openapi.json", "/openapi.json", "200"),
		one("GET", "/v1/servers", "/v1/servers", "200"),
		one("GET", server, "/v1/servers/{name}", "200"), one("GET", "/v1/servers/trouble", "/v1/servers/{name}", "200"),
		one("GET", "/v1/servers/new", "/v1/servers/{name}", "200"), one("GET", "/v1/servers/wrong", "/v1/servers/{name}", "200"),
		one("GET", server, "/v1/servers/{name}", "304", "If-None-Match: \"x\", *"),
		one("GET", "/v1/servers/nobody", "/v1/servers/{name}", "404"), events, crowded,
		one("POST", server+"/refresh", "/v1/servers/{name}/refresh", "202"), withJSON, noJSON, late,
		one("POST", "/v1/servers/off/refresh", "/v1/servers/{name}/refresh", "409"),
		one("POST", "/v1/servers/nobody/refresh", "/v1/servers/{name}/refresh", "404"),
	}
	for _, r := range New(Options{}).routes() {
		all = append(all, refusals(r, strings.Replace(r.path, "{name}", url.PathEscape(odd), 1))...)
	}
	return all
}

// refusals are the requests to a route that get no further.
func refusals(r route, path string) []request {
	make := func(status string, headers ...string) request {
		return request{operation: r.method + " " + r.path, method: r.method, path: path, status: status, headers: headers}
	}
	wrong := make("405")
	wrong.method = "PUT"
	foreign := make("403", "Sec-Fetch-Site: cross-site")
	foreign.method = "POST"
	all := []request{wrong, foreign, make("421", "Host: evil.example:9464"), make("421", "Host: 127.0.0.1.evil.example")}
	if !r.open {
		all = append(all, make("401", "Authorization: Bearer wrong"), make("401", "Authorization: Basic t0ken"), make("401", "Authorization: "))
	}
	return all
}
