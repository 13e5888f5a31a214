. "$(dirname "$0")/lib.sh"
# `kml serve` starts a server, which answers. It is updated under load without a failed request, a broken update is
# undone, a crash is explained, and it is stopped.
cat >serve.py <<'P'
import http.server, os, sys, threading, time
version = sys.argv[1]
if version == "crash":
    print("cannot load the model", flush=True)
    sys.exit(7)
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass
    def do_GET(self):
        self.send_response(503 if version == "sick" else 200)
        self.end_headers()
        self.wfile.write(version.encode())
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"answer to " + body)
print("serves", version, flush=True)
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler)
server.request_queue_size = 128
server.serve_forever()
P
serve() { timeout 1000 "$KML" serve model --chdir "$work" "$@"; }
get() { timeout 1000 python3 -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1], timeout=600).read().decode())' "$1"; }

expect 0 serve --ready /health --probe '{"x": 1}' -- python3 serve.py one
url=$(head -1 <<<"$out")
[ "$(tail -1 <<<"$out")" = 'answer to {"x": 1}' ] || fail "no answer: $out"
contains "$err" "model: 1 of 1 replicas ready, revision 1, after"
[ "$(get "$url")" = one ] || fail "it does not answer at $url"
expect 0 timeout 1000 "$KML" serve list
contains "$out" "model  1/1    1"
contains "$out" "$url"
contains "$out" "python3 serve.py one"

# A server that fits on no node is rejected, with a message about this command.
expect 1 timeout 1000 "$KML" serve big --cpu 9000 -- sleep 1
contains "$err" "big cannot run"
contains "$err" "kml serve big --cpu"
[[ $err != *submit* ]] || fail "$err"

# The same command again changes nothing.
expect 0 serve --ready /health -- python3 serve.py one
contains "$err" "revision 1"

# During an update under load, no request fails, and the address stays the same, even if the port changes.
cat >load.py <<'P'
import collections, os, sys, urllib.request
answers = collections.Counter()
while not os.path.exists("enough"):
    try:
        answers[urllib.request.urlopen(sys.argv[1], timeout=600).read().decode()] += 1
    except Exception as problem:
        answers["FAILED " + repr(problem)] += 1
    open("loading", "w")
print(dict(answers))
P
python3 load.py "$url" >load.out & load=$!
eventually test -e loading
expect 0 serve --ready /health --port 9998 --replicas 2 -- python3 serve.py two
[ "$out" = "$url" ] || fail "the address has changed: $out"
contains "$err" "model: 2 of 2 replicas ready, revision 2"
answers_two() { [ "$(get "$url")" = two ] && [ "$(get "$url")" = two ]; }
eventually answers_two
# The Service's port leads to the revision's port.
timeout 1000 "$KML" port model :8080 >forward & forward=$!
through_service() { [ "$(get "http://$(grep -o '127.0.0.1:[0-9]*' forward | head -n 1)")" = two ]; }
eventually through_service
grep -q ' port 9998$' forward || fail "$(cat forward)"
kill $forward; wait $forward || true

# Updates that crash, or never become ready, are explained and undone, while the old replicas keep running.
expect 3 serve --ready /health --port 7777 -- python3 serve.py crash
contains "$err" "cannot load the model"
contains "$err" "the update of model failed"
contains "$err" "exit code 7"
contains "$err" "rolled back to the previous revision"
for limit in 3s 30s 300s; do # on a busy machine it has not opened its port after three seconds
  expect 3 serve --ready /health --timeout $limit -- python3 serve.py sick
  [[ $err == *"onnection refused"* ]] || break
done
contains "$err" "Readiness probe failed: HTTP probe failed with statuscode: 503"
eventually answers_two
# The list of revisions says which ones crashed, and a rollback does not choose them.
expect 0 timeout 1000 "$KML" serve revisions model
grep -Eq '^1 .* was ready .* python3 serve.py one$' <<<"$out" || fail "$out"
grep -Eq '^[0-9]+ .* failed: .*exit code 7.* python3 serve.py crash$' <<<"$out" || fail "$out"
grep -Eq '^[0-9]+ .* failed: .*statuscode: 503.* python3 serve.py sick$' <<<"$out" || fail "$out"
grep -Eq '^[0-9]+ .* Running .* python3 serve.py two$' <<<"$out" || fail "$out"
crashed=$(awk '/serve.py crash$/ {print $1}' <<<"$out")
# If the user chooses a crashed revision, the rollback fails, and the current revision keeps serving.
expect 3 timeout 1000 "$KML" serve rollback model --revision "$crashed"
contains "$err" "the rollback of model failed"
contains "$err" "fix: choose another revision: kml serve revisions model"
contains "$err" "rolled back to the previous revision, which kept serving"
eventually answers_two
touch enough
wait $load
grep -q "'one'" load.out && grep -q "'two'" load.out || fail "the load saw only: $(cat load.out)"
! grep -q FAILED load.out || fail "requests failed: $(cat load.out)"

expect 0 timeout 1000 "$KML" serve logs model
contains "$out" "serves two"
expect 0 timeout 1000 "$KML" serve rollback model
[ "$out" = "model is rolled back to revision 1" ] || fail "$out"
answers_one() { [ "$(get "$url")" = one ]; }
eventually answers_one

# The served program still answers while the embedded server is killed.
kill -9 "$(cat "$XDG_STATE_HOME/kml/local/server.pid")"
[ "$(get "$url")" = one ] || fail "it does not answer while no server runs"
expect 0 timeout 1000 "$KML" serve list
contains "$out" "model  2/2"

# While an update does not become ready, the previous revision still answers.
timeout 1000 "$KML" serve model --chdir "$work" --timeout 900s -- sleep 1000 2>/dev/null & update=$!
updates() { timeout 1000 "$KML" serve list | grep -q '^model .* Updating '; }
eventually updates
[ "$(get "$url")" = one ] || fail "the update has stopped it"
kill $update; wait $update || true
expect 0 timeout 1000 "$KML" serve rollback model
expect 0 timeout 1000 "$KML" serve list
contains "$out" Running
expect 0 timeout 1000 "$KML" serve status model
contains "$out" "Address   $url"
contains "$out" "Replicas  2 of 2 ready"
contains "$out" "Command   python3 serve.py one"
grep -Eq '^model-[^ ]+ +Running ' <<<"$out" || fail "$out"

expect 2 serve --port 70000 -- python3 serve.py one
expect 2 timeout 1000 "$KML" serve Model -- true
expect 1 timeout 1000 "$KML" serve stop other
contains "$err" "these programs are served: model"
expect 1 timeout 1000 "$KML" serve stop model other # a typo stops none
expect 0 timeout 1000 "$KML" serve status model
expect 0 timeout 1000 "$KML" serve stop model
[ "$out" = "model is stopped" ] || fail "$out"
expect 0 timeout 1000 "$KML" serve list
contains "$err" "no program is served"
gone() { ! get "$url" 2>/dev/null; }
eventually gone

# A first revision that crashes stays, because there is no earlier one.
expect 3 serve -- python3 serve.py crash
contains "$err" "model does not run"
expect 0 timeout 1000 "$KML" serve list
grep -Eq '^model .* Crashing ' <<<"$out" || fail "$out"
# serve status, serve revisions, why and ui report the same state.
expect 0 timeout 1000 "$KML" serve status model
grep -q '^State *Crashing$' <<<"$out" || fail "$out"
expect 0 timeout 1000 "$KML" serve revisions model
grep -Eq '^1 .* Crashing ' <<<"$out" || fail "$out"
expect 0 timeout 1000 "$KML" why model
[[ $out == "model: Crashing"$'\n'*"crashed "[2-9]*" times, the last time: exit code 7"* ]] || fail "$out"
"$KML" ui -o json >feed 2>feed_err & feed=$!
crashes_in_feed() { grep '"serves"' feed | grep '"state":"Crashing"' | grep -q 'exit code 7'; }
eventually crashes_in_feed
kill $feed; wait $feed || true
# A program that never ran has no log to read.
expect 3 timeout 100 "$KML" serve none -- /no/such/program
contains "$err" "fix: serve it again with a change"
expect 0 timeout 20 "$KML" why none
contains "$out" "fix: serve it again with a change"
expect 0 timeout 20 "$KML" serve stop none
# Serving the same model again replaces crashed pods, which would otherwise restart after longer and longer pauses.
until_there='test -e there && exec python3 serve.py one'
expect 3 serve -- sh -c "$until_there"
: >there
expect 0 serve -- sh -c "$until_there"
expect 0 serve --dry-run -- python3 serve.py one
contains "$out" "kind: Deployment"
contains "$out" "kind: Service"
expect 0 serve -t kserve --dry-run -- python3 serve.py one
contains "$out" "kind: InferenceService"
[[ $out != *"kind: Service"* && $out != *"kind: Deployment"* ]] || fail "$out"
expect 1 serve -t kserve -- python3 serve.py one
contains "$err" "-t kserve: the cluster does not have KServe"
expect 2 serve -t kserve --idle 10m -- python3 serve.py one
expect 2 serve -t job -- python3 serve.py one

# Uses a file on this machine, and an artifact, which is then pinned.
echo weights >weights
expect 0 timeout 1000 "$KML" artifact put weights=weights
for input in ./weights weights; do
  expect 0 serve --input "model=$input" -- python3 -c 'import shutil, subprocess, sys
shutil.copy(sys.argv[1], "served")
subprocess.run([sys.executable, "serve.py", "one"])' '${in.model}'
  [ "$(cat served)" = weights ] || fail "no model: $(cat served)"
  rm served
  expect 0 timeout 1000 "$KML" serve list
  [ "$input" = weights ] && made=weights@[0-9a-f]{12} || made=$work/weights
  [[ $out =~ \ model=$made\  ]] || fail "its input is not shown: $out"
done
expect 0 serve -- python3 serve.py one
expect 0 timeout 1000 "$KML" serve list -o yaml
[[ $out != *kml.dev/inputs* ]] || fail "an input of an earlier revision is left: $out"
expect 0 timeout 1000 "$KML" artifact unpin weights
expect 2 serve --input model=./none -- python3 '${in.model}'
expect 2 serve --input model=./weights -- python3 serve.py one
contains "$err" 'the command does not use ${in.model}'

# Creates the same server from a template: kml serve list, why and stop find it.
hook() { sed -n '/preStop/,/^ *name: main/p' <<<"$out"; }
expect 0 timeout 20 "$KML" serve web --dry-run -- true
of_serve=$(hook)
expect 0 timeout 20 "$KML" submit -t serve --name web --dry-run -- true
[[ $of_serve == *is_open* && $of_serve == "$(hook)" ]] || fail "they stop in different ways: $of_serve, $(hook)"
expect 0 timeout 1000 "$KML" submit -t serve --name web --wait --chdir "$work" -- python3 serve.py one
expect 0 timeout 1000 "$KML" serve list
listed=$out
grep -q '^web *1/1 .* Running .* python3 serve.py one$' <<<"$listed" || fail "--wait did not wait: $listed"
expect 3 timeout 1000 "$KML" submit -t serve --name bad --wait --chdir "$work" -- python3 serve.py crash
contains "$err" "bad does not run"
[ "$(get "$(grep '^web ' <<<"$listed" | grep -o 'http://[0-9.:]*')")" = one ] || fail "the template's server does not answer"
expect 0 timeout 1000 "$KML" serve stop web
