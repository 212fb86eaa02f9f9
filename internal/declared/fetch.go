package declared

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/internal/transport"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

const (
	fetchTime = 15 * time.Second // from the dial to the end of the body
	mostHops  = 3                // redirects, all within one origin
)

// fetch reads what is at a URL. It follows redirects within the origin that the user named, and sends nothing along.
func (r Reader) fetch(ctx context.Context, address string) ([]byte, error) {
	trusted, err := transport.TLSConfig(r.CACert)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Timeout: fetchTime, CheckRedirect: sameOrigin,
		Transport: &http.Transport{Proxy: host.Proxy, TLSClientConfig: trusted, DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errors.New("it is not a URL")
	}
	request.Header.Set("Accept", "application/mcp-server-card+json, application/json, text/markdown, */*;q=0.1")
	answer, err := client.Do(request)
	if err != nil {
		return nil, errors.Unwrap(err) // of a *url.Error, which names the address with its secrets
	}
	defer answer.Body.Close()
	switch kind := answer.Header.Get("Content-Type"); {
	case answer.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("HTTP %d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
	case strings.HasPrefix(kind, "text/html"):
		return nil, errors.New("it is a page for people; a server card is often at /.well-known/mcp/server-card.json, or at the server's URL with /server-card")
	}
	return files.ReadLimited(answer.Body, longest)
}

func sameOrigin(next *http.Request, via []*http.Request) error {
	switch {
	case transport.Origin(next.URL) != transport.Origin(via[0].URL):
		return fmt.Errorf("it redirects to %s://%s; name the URL there", next.URL.Scheme, next.URL.Host)
	case len(via) > mostHops:
		return errors.New("it redirects too often")
	}
	return nil
}

// Fix writes into files what the server says of itself: its version, its title, and the lists of tools and prompts that the files
// have already. All else stays as people wrote it, and a second time changes nothing. The remarks say what was done, and what was left.
// A package.json, a bundle, a URL and a text for people are left alone.
func (r Reader) Fix(all []check.Declared, s *snapshot.Snapshot, ran *check.DeclaredPackage) (remarks []string, err error) {
	var release string // another version than the server's own, which a person has to decide about
	live := rawjson.ObjectOf(s.Server).Text("version")
	for _, d := range all {
		if d.Versioned && d.Version.Text != live {
			release = fmt.Sprintf("%s says %s", d.File, d.Version.Text)
		}
	}
	if ran != nil && ran.Version.Text != live {
		release = "its package is " + ran.Version.Text
	}
	for _, d := range all {
		if d.Versioned || isURL(d.File) || isBundle(d.File) || isMarkdown(d.File) {
			continue
		}
		some, err := r.fix(d, s, live, release)
		if remarks = append(remarks, some...); err != nil {
			return remarks, fmt.Errorf("writing %s: %w", d.File, err)
		}
	}
	return remarks, nil
}

// fixes are the changes of one file, and what is said of them.
type fixes struct {
	file    string
	root    syntax.Value
	base    string // the pointer of what speaks of the server
	changes []syntax.Change
	remarks []string
}

func (f *fixes) change(pointer string, value any, format string, args ...any) {
	f.changes = append(f.changes, syntax.Change{Pointer: f.base + pointer, Value: value})
	f.remark(format, args...)
}

func (f *fixes) remark(format string, args ...any) {
	f.remarks = append(f.remarks, f.file+": "+fmt.Sprintf(format, args...))
}

func (r Reader) fix(d check.Declared, s *snapshot.Snapshot, live, release string) ([]string, error) {
	path, err := r.path(d.File)
	if err != nil {
		return nil, err
	}
	data, err := files.ReadRegular(path, longest)
	if err != nil {
		return nil, err
	}
	root, wrong := syntax.JSON(data)
	if wrong != nil {
		return nil, errors.New(wrong.Message)
	}
	f := fixes{file: d.File, root: root}
	if answered(root) {
		inner, _ := root.Get("server")
		f.root, f.base = inner.Value, "/server"
	}
	f.names(d, rawjson.ObjectOf(s.Server), live, release)
	for _, kind := range []snapshot.Kind{snapshot.Tools, snapshot.Prompts} {
		f.list(d, kind, s.List(kind))
	}
	if len(f.changes) == 0 {
		return f.remarks, nil
	}
	if data, err = syntax.Edit(data, f.changes); err != nil {
		return nil, err
	}
	return f.remarks, files.Replace(path, data)
}

// names brings the version and the title in step.
func (f *fixes) names(d check.Declared, server rawjson.Object, live, release string) {
	in := ""
	if has(f.root, "serverInfo") {
		in = "/serverInfo"
	}
	switch {
	case live == "" || d.Version.Text == "" || d.Version.Text == live:
	case release != "":
		f.remark("the version %s stays, since the server says %s and %s: make them agree first", d.Version.Text, live, release)
	default:
		f.change(in+"/version", live, "version %s → %s", d.Version.Text, live)
	}
	title := server.Text("title")
	if title == "" || d.Title.Text == "" || d.Title.Text == title {
		return
	}
	if has(f.root, "display_name") {
		f.change("/display_name", title, "display_name %q → %q", d.Title.Text, title)
	} else {
		f.change(in+"/title", title, "title %q → %q", d.Title.Text, title)
	}
}

// list brings a list in step with one of the server. Items go from the end, so that the pointers of the others hold.
func (f *fixes) list(d check.Declared, kind snapshot.Kind, offered snapshot.List) {
	listed, told := d.Items[kind]
	if !told || !offered.Whole() {
		return
	}
	find := offered.Finder()
	for i, item := range slices.Backward(listed) {
		at := fmt.Sprintf("/%s/%d", kind, i)
		if now, answer := find(item.Name.Text); answer == snapshot.Present {
			f.item(at, item, now)
		} else {
			f.change(at, nil, "%s %q goes", kind.Word(), item.Name.Text)
		}
	}
	has := lists.Set(lists.Map(listed, func(item check.DeclaredItem) string { return item.Name.Text }))
	for _, now := range offered.Items() {
		if now.Key == "" || d.AtLeast[kind] || has[now.Key] {
			continue
		}
		members := []syntax.Member{{Key: "name", Value: now.Key}}
		if text := now.Description(); text != "" {
			members = append(members, syntax.Member{Key: "description", Value: text})
		}
		if names, _ := (check.DeclaredItem{}).ArgumentsDiffer(now); len(names) > 0 && isManifest(f.root) {
			members = append(members, syntax.Member{Key: "arguments", Value: names})
		}
		f.change(fmt.Sprintf("/%s/-", kind), members, "%s %q comes", kind.Word(), now.Key)
	}
}

// item brings the texts of one that both have in step.
func (f *fixes) item(at string, item check.DeclaredItem, now snapshot.Item) {
	if item.TextDiffers(now) && now.Description() != "" {
		f.change(at+"/description", now.Description(), "the description of %q is the server's", now.Key)
	}
	if names, differ := item.ArgumentsDiffer(now); differ && isManifest(f.root) {
		f.change(at+"/arguments", names, "the arguments of %q are %s", now.Key, match.Some(names))
	}
}
