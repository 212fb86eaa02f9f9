// A server, and what it does when its standard input ends: node server.js MODE. It appends a word to $MARK.
const fs = require('fs'), {spawn} = require('child_process');

const mode = process.argv[2];
const mark = word => fs.appendFileSync(process.env.MARK, word + '\n');
const start = (other, how) => spawn(process.execPath, [__filename, other], how);
const later = (ms, then) => setTimeout(then, ms);
const stay = () => setInterval(() => {}, 1000);

const results = {
  initialize: {protocolVersion: '2025-11-25', capabilities: {tools: {}}, serverInfo: {name: 'ends', version: '1.0.0'}},
  'tools/list': {tools: [{name: 'look', description: 'Looks.', annotations: {readOnlyHint: true}, inputSchema: {type: 'object'}}]},
  'tools/call': {content: [{type: 'text', text: 'seen'}]},
  ping: {},
};

function serve(atEnd) {
  let rest = '';
  process.stdin.on('data', text => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const request = JSON.parse(line), result = results[request.method];
      if (mode === 'mute' || request.id === undefined) continue;
      const reply = result ? {result} : {error: {code: -32601, message: 'unknown'}};
      process.stdout.write(JSON.stringify({jsonrpc: '2.0', id: request.id, ...reply}) + '\n');
    }
  });
  process.stdin.on('end', atEnd);
}

const tidy = () => later(250, () => { process.stderr.write('bye\n'); mark('left'); process.exit(0); });

({
  tidy: () => serve(tidy),
  mute: () => serve(tidy),
  deaf() {
    process.on('SIGTERM', () => later(700, () => { mark('cleaned up'); process.exit(143); }));
    serve(stay);
  },
  stubborn() { process.on('SIGTERM', () => {}); serve(stay); },
  waits() { // for the report to be read
    process.on('SIGTERM', () => {});
    serve(() => setInterval(() => { if (fs.existsSync(process.env.MARK + '.read')) { mark('read first'); process.exit(0); } }, 10));
  },
  launcher() { // hands the end on late, and does not survive a signal
    process.on('SIGTERM', () => { mark('killed'); process.exit(143); });
    const child = start('tidy', {stdio: ['pipe', 'inherit', 'inherit']});
    process.stdin.on('data', text => child.stdin.write(text));
    process.stdin.on('end', () => later(100, () => child.stdin.end()));
    child.on('exit', () => process.exit(0));
  },
  helped() { // is gone at once, unlike what it has started
    start('helper', {stdio: ['pipe', 'inherit', 'inherit'], detached: true}).unref();
    serve(() => process.exit(0));
  },
  helper() { process.stdin.resume(); process.stdin.on('end', () => later(300, () => { process.stderr.write('bye\n'); mark('left'); process.exit(0); })); },
})[mode]();
