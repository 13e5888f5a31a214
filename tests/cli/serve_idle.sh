. "$(dirname "$0")/lib.sh"
# With `kml serve --idle`, a model is scaled to zero without requests and started by the next one. If it then crashes,
# clients get status 503 with the cause.
cat >serve.py <<'P'
import http.server, os, sys
if os.path.exists("broken"):
    sys.exit(7)
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(sys.argv[1].encode())
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
expect 2 there --engine-image kml:1
contains "$err" "need --idle"

expect 0 serve -- python3 serve.py one
url=$out
expect 0 serve --idle 1s -- python3 serve.py two
eventually sleeps
expect 0 timeout 1000 "$KML" why model
[ "$out" = "model: scaled to zero after 1s without a request" ] || fail "$out"
[ "$(get)" = two ] || fail "the request did not start it"

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
