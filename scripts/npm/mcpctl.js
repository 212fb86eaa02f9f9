#!/usr/bin/env node
// Starts the mcpctl of this system, which npm has installed as an optional dependency.
"use strict";
const { spawn } = require("node:child_process");
const platform = `${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "mcpctl.exe" : "mcpctl";

let program;
try {
  program = require.resolve(`@mcpctl/${platform}/${file}`);
} catch {
  const known = Object.keys(require("./package.json").optionalDependencies);
  console.error(
    known.includes(`@mcpctl/${platform}`)
      ? `mcpctl: the package @mcpctl/${platform} is not installed: install mcpctl again without --omit=optional and --no-optional, on this system`
      : `mcpctl: not released for ${platform}: build it with go install github.com/mcpctl/mcpctl/cmd/mcpctl@latest`,
  );
  process.exit(2);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// A signal of the terminal reaches mcpctl by itself; it stops the servers that it has started, and is waited for.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on("error", (err) => {
  console.error(`mcpctl: starting ${program}: ${err.message}`);
  process.exit(2);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
