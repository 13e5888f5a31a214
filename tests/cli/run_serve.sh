# A pipeline step that serves a model succeeds once the server answers, and the next step gets its address. A change
# is an update. A server that crashes fails the step, and the old server keeps running.
. "$(dirname "$0")/lib.sh"
cat >serve.py <<'P'
import http.server, os, sys
body = open(sys.argv[1]).read().encode()
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
P
cat >ask.py <<'P'
import sys, urllib.request
open(sys.argv[2], "w").write(urllib.request.urlopen(sys.argv[1], timeout=600).read().decode())
P
cat >p.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: served}
spec:
  params: {word: {default: one}}
  defaults: {code: {paths: [p.yaml]}}
  steps:
    train:
      command: [sh, -c, 'echo model ${params.word} >"$0"', "${out.model}"]
      outputs: {model: model}
    deploy:
      inputs: {model: train.model}
      serve: {name: greeter, command: [python3, serve.py, "${in.model}"], ready: /}
    ask:
      inputs: {url: deploy.url}
      command: [python3, ask.py, "${in.url}", "${out.answer}"]
      outputs: {answer: value}
      cache: false
Y
run() { timeout 1000 "$KML" run p.yaml "$@"; }
expect 0 run --name r1
contains "$out" "answer=model one"
contains "$out" "deploy done"
expect 0 timeout 1000 "$KML" serve list
contains "$out" "greeter  1/1    1"
expect 0 timeout 1000 "$KML" artifact list
[[ "$(grep r1/train.model <<<"$out")" == *pinned* ]] || fail "gc could remove the served file: $out"

# An unchanged step keeps the revision; another model is a new revision, at the same address.
expect 0 run --dry-run
[[ "$(grep deploy <<<"$out" | tr -s ' ')" == *"deploy RUN it serves a model"* ]] || fail "$out"
expect 0 run --name r2
contains "$out" "train cached"
contains "$out" "deploy done"
expect 0 timeout 1000 "$KML" serve list
contains "$out" "greeter  1/1    1"
expect 0 run --name r3 -p word=two
contains "$out" "answer=model two"
expect 0 timeout 1000 "$KML" serve list
contains "$out" "greeter  1/1    2"
expect 2 timeout 1000 "$KML" run logs r3 deploy
contains "$err" "kml serve logs NAME"

# A server that crashes fails the step with its last line, and the previous server keeps running.
echo 'sys.exit("no such model")' >>serve.py
sed -i 's/^http.server.Threading/# &/' serve.py
expect 3 run --name r4 -p word=three
contains "$err" "step deploy failed: the update of greeter failed"
contains "$err" "no such model"
expect 0 timeout 1000 "$KML" run status r4
[[ "$(grep "ask " <<<"$out")" == *"not run" ]] || fail "$out"
expect 0 timeout 1000 "$KML" serve list
contains "$out" "greeter  1/1"

# A model outlives the run that serves it. kml records the last run that updated the model: r3, because the
# update by r4 was undone.
expect 0 timeout 1000 "$KML" run delete r2 r4 --served
[[ $out$err != *greeter* ]] || fail "r3 serves it: $out$err"
expect 0 timeout 1000 "$KML" run delete r3
contains "$err" 'greeter is still served; `kml serve stop greeter` stops it'
expect 0 timeout 1000 "$KML" serve list
contains "$out" "greeter  1/1"

# kml serve rejects an impossible name in its own words.
sed -i 's/name: greeter/name: Greeter/' p.yaml
expect 3 run --name r5
contains "$err" "cannot have the name"

# A step that serves a model rejects settings that only jobs have. `timeout` limits the wait for a server that
# does not listen.
sed -e 's/name: Greeter/name: late/' -e 's/^      inputs: {model: train.model}/&\n      nodes: 2/' p.yaml >nodes.yaml
expect 3 timeout 1000 "$KML" run nodes.yaml --name r6
contains "$err" "--nodes"
sed -e 's/name: Greeter/name: late/' -e 's/python3, serve.py, /sleep, "600", /' -e 's/^      inputs: {model: train.model}/&\n      timeout: 2s/' p.yaml >late.yaml
expect 3 timeout 1000 "$KML" run late.yaml --name r7
contains "$err" "late does not run"

# --served stops what a run serves, unless `kml serve` has updated it since.
expect 0 timeout 1000 "$KML" run delete r7 --served
contains "$out" "late is stopped"
sed -e 's/name: Greeter/name: greeter/' -e 's/python3, serve.py, /sh, -c, "exec python3 -m http.server $PORT", /' p.yaml >again.yaml
sed -i '/^    ask:/,$d' again.yaml
expect 0 timeout 1000 "$KML" run again.yaml --name r8
expect 0 timeout 1000 "$KML" serve greeter -- sh -c 'exec python3 -m http.server $PORT'
expect 0 timeout 1000 "$KML" run delete r8 --served
[[ $out != *stopped* ]] || fail "kml serve has updated it: $out"
expect 0 timeout 1000 "$KML" serve stop greeter
