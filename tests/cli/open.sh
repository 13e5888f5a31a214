# `kml open` forwards the port of a web page until Ctrl-C, which ends only the forwarding: the job continues.
. "$(dirname "$0")/lib.sh"
cat >page.py <<'P'
import http.server

class Page(http.server.BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"the page")

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
print("serving at http://127.0.0.1:%d/lab?token=abc" % server.server_port, flush=True)
server.serve_forever()
P
cat >interrupted.py <<'P'
import signal, socket, subprocess, sys, urllib.parse, urllib.request

process = subprocess.Popen([sys.argv[1], "open", "web", *sys.argv[2:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
address = process.stdout.readline().strip()
assert address.endswith("/lab?token=abc"), (address, process.poll())
with urllib.request.urlopen(address, timeout=300) as answer:
    assert answer.read() == b"the page"
process.send_signal(signal.SIGINT)
rest, told = process.communicate(timeout=600)
assert process.returncode == 130 and rest == "", (process.returncode, rest, told)
assert "available until you press Ctrl-C" in told and "error" not in told, told
with socket.socket() as probe:
    assert probe.connect_ex(("127.0.0.1", urllib.parse.urlsplit(address).port)) != 0, "the port is still forwarded"
P
unset DISPLAY WAYLAND_DISPLAY
expect 0 "$KML" submit --name web -- python3 page.py
logged() { "$KML" logs web | grep -q "serving at"; }
eventually logged
expect 0 timeout 1000 python3 interrupted.py "$KML"
expect 0 timeout 1000 python3 interrupted.py "$KML" --no-browser
expect 0 "$KML" list --no-headers web
[[ $out =~ ^web\ .*Running ]] || fail "the job did not continue: $out"

# A job that has printed no address is reported at once.
expect 0 "$KML" submit --name silent -- sleep 1000
runs() { "$KML" list --no-headers silent | grep -q ' Running '; }
eventually runs
expect 1 timeout 1000 "$KML" open silent
contains "$err" "has printed no address"
