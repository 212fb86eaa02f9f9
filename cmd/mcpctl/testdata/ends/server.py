"""A server, and what it does when its standard input ends: python3 server.py MODE. It appends a word to $MARK."""
import json, os, signal, subprocess, sys, time

mode = sys.argv[1]


def mark(word):
    with open(os.environ["MARK"], "a") as file:
        file.write(word + "\n")


def start(other, **how):
    return subprocess.Popen([sys.executable, __file__, other], **how)


def serve():
    for line in sys.stdin:
        request = json.loads(line)
        result = {
            "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                           "serverInfo": {"name": "ends", "version": "1.0.0"}},
            "tools/list": {"tools": [{"name": "look", "description": "Looks.", "annotations": {"readOnlyHint": True},
                                      "inputSchema": {"type": "object"}}]},
            "tools/call": {"content": [{"type": "text", "text": "seen"}]},
            "ping": {},
        }.get(request.get("method"))
        if mode == "mute" or "id" not in request:
            continue
        reply = {"result": result} if result is not None else {"error": {"code": -32601, "message": "unknown"}}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **reply}), flush=True)


def asked(*_):
    time.sleep(0.7)
    mark("cleaned up")
    os._exit(143)


def ended():  # by SIGTERM, as programs without a handler are, but visibly
    mark("killed")
    os._exit(143)


if mode in ("tidy", "mute"):
    try:
        serve()
    finally:
        time.sleep(0.25)
        sys.stderr.write("bye\n")
        mark("left")
elif mode == "deaf":
    signal.signal(signal.SIGTERM, asked)
    serve()
    time.sleep(60)
elif mode == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    serve()
    time.sleep(60)
elif mode == "waits":  # for the report to be read
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    serve()
    while not os.path.exists(os.environ["MARK"] + ".read"):
        time.sleep(0.01)
    mark("read first")
elif mode == "launcher":  # hands the end on late, and does not survive a signal
    signal.signal(signal.SIGTERM, lambda *_: ended())
    child = start("tidy", stdin=subprocess.PIPE)
    for line in sys.stdin.buffer:
        child.stdin.write(line)
        child.stdin.flush()
    time.sleep(0.1)
    child.stdin.close()
    child.wait()
elif mode == "helped":  # is gone at once, unlike what it has started
    helper = start("helper", stdin=subprocess.PIPE, start_new_session=True)
    serve()
elif mode == "helper":
    sys.stdin.read()
    time.sleep(0.3)
    sys.stderr.write("bye\n")
    sys.stderr.flush()
    mark("left")
