"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const rows = new Map(); // by name
  let token = sessionStorage.getItem("token") || "", servers = [], asked = false, again = false, ended = false, connected = false;

  const fetchOwn = (path, options = {}) => fetch(path, {
    ...options, cache: "no-store", headers: { ...(token ? { Authorization: "Bearer " + token } : {}), ...options.headers },
  });

  const kinds = { live: "good", polling: "good", connecting: "doubt", degraded: "doubt", stale: "doubt", reconnecting: "bad", failed: "bad" };
  const words = [["tools", "tool"], ["prompts", "prompt"], ["resources", "resource"], ["resourceTemplates", "template"], ["skills", "skill"]];
  const count = (n, word) => n + " " + word + (n === 1 ? "" : "s");

  const ago = (time) => {
    const s = Math.max(0, Math.round((Date.now() - Date.parse(time)) / 1000));
    if (s < 90) return s + " s";
    if (s < 5400) return Math.round(s / 60) + " min";
    return s < 129600 ? Math.round(s / 3600) + " h" : Math.round(s / 86400) + " days";
  };

  // shown is the state as it is shown: a connection is no good without a surface that is known to be the server's.
  const shown = ({ state, current }) => kinds[state] === "good" && !current ? "stale" : state;

  const set = (element, text) => { if (element.textContent !== text) element.textContent = text; };

  const say = (svg, text) => { svg.setAttribute("aria-label", text); return text; };

  const drawLatency = (svg, ms) => {
    const most = Math.max(...ms, 1), step = 120 / Math.max(ms.length - 1, 1);
    svg.firstElementChild.setAttribute("points", (ms.length === 1 ? [ms[0], ms[0]] : ms).map((v, i) => `${(i * (ms.length === 1 ? 120 : step)).toFixed(1)},${(22 - 20 * v / most).toFixed(1)}`).join(" "));
    return say(svg, ms.length ? `last reading ${ms[ms.length - 1]} ms, the slowest of ${ms.length} ${most} ms` : "not read yet");
  };

  const drawChanges = (svg, hours) => {
    const most = Math.max(...hours, 1), all = hours.reduce((a, b) => a + b, 0);
    svg.replaceChildren(...hours.flatMap((n, i) => {
      if (!n) return [];
      const bar = document.createElementNS("http://www.w3.org/2000/svg", "rect"), height = 4 + 18 * n / most;
      for (const [key, value] of Object.entries({ x: i * 5, y: 24 - height, width: 4, height })) bar.setAttribute(key, value);
      return [bar];
    }));
    return say(svg, count(all, "change") + " in 24 hours");
  };

  const showStories = async (row) => {
    const answer = await fetchOwn("/v1/servers/" + encodeURIComponent(row.name) + "/changes").catch(() => null);
    if (!answer || !answer.ok) return;
    const { changes } = await answer.json();
    row.stories.replaceChildren(...changes.flatMap((c) => {
      const head = document.createElement("h2"), level = document.createElement("span"), text = document.createElement("pre");
      level.className = "level " + c.level;
      level.textContent = c.level === "none" ? "changed" : c.level;
      head.append(level, ` ${new Date(c.time).toLocaleString()}, change ${c.change}`);
      text.textContent = c.text;
      return [head, text];
    }));
    if (!changes.length) row.stories.textContent = "No change was told since watching began.";
  };

  const newRow = (name) => {
    const element = $("server").content.cloneNode(true).firstElementChild, find = (c) => element.querySelector("." + c);
    const row = { name, element, stories: find("stories") };
    for (const part of ["state", "since", "counts", "facts", "error", "latency", "changes", "lines", "refresh", "said"]) row[part] = find(part);
    find("name").textContent = name;
    element.addEventListener("toggle", () => { if (element.open) showStories(row); });
    row.refresh.addEventListener("click", async () => {
      const answer = await fetchOwn("/v1/servers/" + encodeURIComponent(name) + "/refresh", { method: "POST" }).catch(() => null);
      row.said.textContent = !answer ? "mcpctl does not answer" : answer.ok ? "it is read" : (await answer.json()).detail;
    });
    rows.set(name, row);
    return row;
  };

  const draw = (server) => {
    const row = rows.get(server.name) || newRow(server.name), known = server.counts || {};
    set(row.state, shown(server));
    row.state.className = "state " + (kinds[shown(server)] || "");
    row.time = server.since;
    set(row.counts, words.filter(([key]) => known[key] !== undefined).map(([key, word]) => count(known[key], word)).join(", "));
    const facts = [server.transport, server.protocolVersion, server.tokens === undefined ? "" : count(server.tokens, "token"),
      server.watch ? count(server.watch.failures, "failure") : "", server.trouble,
      drawLatency(row.latency, server.latencyMs || []), drawChanges(row.changes, server.changesPerHour || [])];
    row.lines.title = facts.slice(-2).join("; ");
    row.refresh.hidden = !server.watch;
    set(row.facts, facts.filter(Boolean).join(" · "));
    const e = server.error;
    set(row.error, e ? [e.stage ? e.stage + ": " + e.message : e.message, e.hint ? "→ " + e.hint : ""].filter(Boolean).join("\n") : "");
    row.trouble = !server.current && server.state !== "disabled";
    row.changed = (server.changesPerHour || []).some(Boolean);
    return row.element;
  };

  const filter = () => {
    const word = $("name").value.trim().toLowerCase();
    let left = 0;
    for (const { name } of servers) {
      const row = rows.get(name);
      row.element.hidden = !name.toLowerCase().includes(word) || $("trouble").checked && !row.trouble || $("recent").checked && !row.changed;
      if (!row.element.hidden) left++;
    }
    set($("shown"), left === servers.length ? "" : `${left} of ${servers.length} shown`);
  };

  const total = () => {
    const states = {};
    for (const state of servers.map(shown)) states[state] = (states[state] || 0) + 1;
    const list = Object.entries(states).map(([state, n]) => `${n} ${state}`).join(", ");
    set($("totals"), `${count(servers.length, "server")}: ${list || "none"}${ended ? ". Watching has ended." : connected ? "" : ". mcpctl does not answer; this is how it was."}`);
    for (const row of rows.values()) set(row.since, row.time ? ago(row.time) : "");
  };

  // load asks how it stands with all servers; asked once more meanwhile, it asks again afterwards, once a second at most.
  const load = async () => {
    if (asked) { again = true; return; }
    asked = true;
    try {
      const answer = await fetchOwn("/v1/servers");
      $("login").hidden = answer.status !== 401;
      if (answer.status === 401) { sessionStorage.removeItem("token"); set($("totals"), "mcpctl wants its token."); return; }
      if (!answer.ok) throw new Error(answer.statusText);
      servers = (await answer.json()).servers;
      connected = true;
      const wanted = servers.map(draw), names = new Set(servers.map((s) => s.name));
      for (const [name, row] of rows) if (!names.has(name)) { row.element.remove(); rows.delete(name); }
      wanted.forEach((element, i) => { if ($("servers").children[i] !== element) $("servers").insertBefore(element, $("servers").children[i] || null); });
      $("filter").hidden = false;
      filter();
      total();
      return true;
    } catch {
      connected = false;
      total();
    } finally {
      setTimeout(() => { asked = false; if (again) { again = false; load(); } }, 1000);
    }
  };

  const hear = (kind, data) => {
    if (kind === "summary") ended = true;
    const row = data && rows.get(data.server);
    if (row && row.element.open && (kind === "changed" || kind === "recovered")) showStories(row);
    load();
  };

  // follow listens to events until the connection is lost.
  const follow = async () => {
    const answer = await fetchOwn("/v1/events");
    if (!answer.ok) throw new Error(answer.statusText);
    load();
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ;) {
      const { value, done } = await reader.read();
      if (done) return;
      const parts = (rest + value).split("\n\n");
      rest = parts.pop();
      for (const part of parts) {
        const kind = /^event: (.*)$/m.exec(part), data = /^data: (.*)$/m.exec(part);
        if (kind) hear(kind[1], data && JSON.parse(data[1]));
      }
    }
  };

  const run = async () => {
    if (!await load()) { if (!$("login").hidden) return; }
    while (!ended) {
      await follow().catch(() => {});
      connected = false;
      total();
      if (!ended) await new Promise((wait) => setTimeout(wait, 2000));
    }
  };

  $("login").addEventListener("submit", (e) => {
    e.preventDefault();
    token = $("token").value.trim();
    sessionStorage.setItem("token", token);
    asked = false;
    run();
  });
  $("filter").addEventListener("submit", (e) => e.preventDefault());
  $("filter").addEventListener("input", filter);
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) { e.preventDefault(); $("name").focus(); }
    if (e.key === "Escape" && document.activeElement === $("name")) { $("name").value = ""; filter(); }
  });
  setInterval(() => total(), 5000);
  run();
})();
