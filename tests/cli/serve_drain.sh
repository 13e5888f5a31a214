. "$(dirname "$0")/lib.sh"
# A replica that an update replaces, and whose program does not handle SIGTERM, stops when its open requests and streams
# have ended, or after --grace.
cat >serve.py <<'P'
import http.server, os, sys, time
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        if self.path != "/":
            open("began" + self.path.replace("/", "-"), "w")
            while not os.path.exists("end" + self.path.replace("/", "-")):
                if self.path == "/stream":
                    self.wfile.write(b".")
                time.sleep(0.1)
        self.wfile.write(sys.argv[1].encode())
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
P
serve() { timeout 1000 "$KML" serve model --chdir "$work" "$@"; }
get() { python3 -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1], timeout=600).read().decode())' "$url$1"; }
replicas() { timeout 1000 "$KML" serve status model | grep -c '^model-'; }
one_is_left() { [ "$(replicas)" = 1 ]; }

expect 0 serve --grace 500s -- python3 serve.py one
url=$out
get /slow >slow & slow=$!
get /stream >stream & stream=$!
eventually test -e began-slow
eventually test -e began-stream
expect 0 serve --grace 500s -- python3 serve.py two
[ "$(get /)" = two ] || fail "the update does not answer"
sleep 7 # SIGTERM would come after five seconds, and end both
[ "$(replicas)" = 2 ] || fail "the old replica has stopped"
touch end-slow
wait $slow || fail "the request was cut"
[ "$(cat slow)" = one ] || fail "$(cat slow)"
[ "$(replicas)" = 2 ] || fail "the old replica has stopped before the stream"
touch end-stream
wait $stream || fail "the stream was cut"
[[ $(cat stream) == .*.one ]] || fail "$(cat stream)"
eventually one_is_left

# A stream that never ends is cut after the grace period.
expect 0 serve --grace 10s -- python3 serve.py three
get /endless 2>/dev/null >endless & endless=$!
eventually test -e began-endless
expect 0 serve --grace 10s -- python3 serve.py four
wait $endless || true
[ -z "$(cat endless)" ] || fail "it was not cut: $(cat endless)"
eventually one_is_left
expect 0 timeout 1000 "$KML" serve stop model
