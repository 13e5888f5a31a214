. "$(dirname "$0")/lib.sh"
# With `kml serve --idle`, a model is scaled to zero without requests and started by the next one. If it then crashes,
# clients get status 503 with the cause.
cat >serve.py <<'P'
import http.server, os, sys, time
if os.path.exists("broken"):
    sys.exit(7)
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass
    def do_GET(self):
        is_websocket = self.headers["Upgrade"] == "websocket"
        self.send_response(101 if is_websocket else 200)
        self.end_headers()
        self.wfile.write(sys.argv[1].encode())
        self.wfile.flush()
        if is_websocket or self.path == "/slow":
            while not os.path.exists("go"):
                time.sleep(0.1)
            self.wfile.write(b" and more")
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
P
serve() { timeout 1000 "$KML" serve model --chdir "$work" "$@"; }
get() { timeout 1000 curl -sS "$url"; }
sleeps() { timeout 1000 "$KML" serve list | grep -q 'scaled to zero after 1s without a request'; }

# On a cluster, a pod with kml's own image receives the requests.
kubeconfig_of_cluster
there() { timeout 1000 "$KML" --kubeconfig kubeconfig --context there serve model --image i --dry-run "$@" -- python3 serve.py one; }
expect 2 there --idle 5m
contains "$err" "on a cluster, --idle needs --engine-image"
expect 0 there --idle 5m --engine-image kml:1 --port 80
contains "$out" "kml.dev/activator: model"
for part in "- activator" "- --port" "kind: RoleBinding" "image: kml:1"; do contains "$out" "$part"; done
# The Service, the activator's command, its port and its readiness probe have the port that is sent.
[ "$(grep -A1 -e '- --port' <<<"$out" | tail -n 1 | tr -d ' ')" = '-"80"' ] || fail "$out"
[ "$(grep -c 'port: 80$' <<<"$out")" = 3 ] && contains "$out" "containerPort: 80" || fail "$out"
expect 2 there --engine-image kml:1
contains "$err" "need --idle"

expect 0 serve -- python3 serve.py one
url=$out
expect 0 serve --idle 1s -- python3 serve.py two
eventually sleeps
expect 0 timeout 1000 "$KML" why model
[ "$out" = "model: scaled to zero after 1s without a request" ] || fail "$out"
[ "$(get)" = two ] || fail "the request did not start it"

# A slow response and a WebSocket keep the model running, even if they send nothing for longer than the idle limit.
cat >websocket.py <<'P'
import socket, sys
host, port = sys.argv[1].removeprefix("http://").rstrip("/").split(":")
with socket.create_connection((host, int(port))) as client:
    client.sendall(b"GET / HTTP/1.1\r\nHost: model\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
    print(b"".join(iter(lambda: client.recv(4096), b"")).decode())
P
curl -sSN --max-time 1000 "$url/slow" >slow & slow=$!
python3 websocket.py "$url" >websocket & websocket=$!
grows() { [ "$(cat slow)" = two ]; }
eventually grows
sleep 3 # three times the idle limit
expect 0 timeout 1000 "$KML" serve list
contains "$out" Running
: >go
wait $slow || fail "the response was cut: $(cat slow)"
wait $websocket || fail "the WebSocket was cut"
[ "$(cat slow)" = "two and more" ] || fail "$(cat slow)"
grep -q "two and more" websocket || fail "$(cat websocket)"

# A rollback also starts the model, and keeps the idle limit.
eventually sleeps
expect 0 timeout 1000 "$KML" serve rollback model
[ "$(get)" = one ] || fail "no rollback"

# If the model crashes when a request starts it, the client and `kml why` get the cause.
eventually sleeps
touch broken
contains "$(get)" "crashed with exit code 7"
expect 0 timeout 1000 "$KML" why model
contains "$out" "exit code 7"

rm broken
expect 0 serve --idle 0 -- python3 serve.py three
expect 0 timeout 1000 "$KML" serve list
contains "$out" Running
expect 0 timeout 1000 "$KML" serve list -o yaml
contains "$out" "kml.dev/idle: 0s"
expect 0 timeout 1000 "$KML" serve stop model
