. "$(dirname "$0")/lib.sh"
# Webhooks that answer late, fail once in ten calls, or never answer: each submit makes exactly one job and ends with 0, or
# makes none and names the webhook. KML_WEBHOOK_CREATES=1000 makes that many jobs in each way, and also with a
# webhook that answers once in ten calls (about an hour).
creates=${KML_WEBHOOK_CREATES:-40}
forget() { cluster kubectl delete validatingwebhookconfiguration "$namespace" --ignore-not-found >/dev/null; }
trap 'status=$?; forget || true; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
folder=$cluster_state/$namespace
mkdir -p "$folder"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365 -subj /CN=webhook \
  -addext 'subjectAltName=IP:127.0.0.1' -keyout "$folder/key.pem" -out "$folder/cert.pem" 2>/dev/null

# The server of the webhooks, beside the API server. Each path answers in its own way.
exec 7> >(cluster exec python3 -c '
import http.server, itertools, json, random, ssl, sys, threading, time
calls = itertools.count(1)
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *ignored): pass
    def do_POST(self):
        review = json.loads(self.rfile.read(int(self.headers["content-length"])))
        way = self.path.split("?")[0]
        if way == "/never": time.sleep(60)
        if way == "/late": time.sleep(random.uniform(0.5, 2))
        tenth = next(calls) % 10 == 0
        if way == "/flaky" and tenth or way == "/rare" and not tenth:
            fault = random.randrange(3)
            if fault == 0: return self.send_error(503)
            if fault == 1: return
            return time.sleep(2)  # longer than the timeout of the webhook
        answer = json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                             "response": {"uid": review["request"]["uid"], "allowed": True}}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
class Server(http.server.ThreadingHTTPServer): daemon_threads, request_queue_size = True, 200
server = Server(("127.0.0.1", 0), Handler)
tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
tls.load_cert_chain(sys.argv[1] + "/cert.pem", sys.argv[1] + "/key.pem")
server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(server.server_port, flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()' "$folder" >"$work/port" 2>/dev/null)
eventually test -s "$work/port"

# webhook WAY TIMEOUT: creates the webhook for jobs with the label way=WAY.
webhook() {
  cat <<W
- name: $1.webhooks.kml.dev
  clientConfig: {url: "https://127.0.0.1:$(cat "$work/port")/$1", caBundle: $(base64 -w0 "$folder/cert.pem")}
  rules: [{apiGroups: [batch], apiVersions: [v1], operations: [CREATE], resources: [jobs]}]
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: $namespace}}
  objectSelector: {matchLabels: {way: $1}}
  timeoutSeconds: $2
  failurePolicy: Fail
  sideEffects: None
  admissionReviewVersions: [v1]
W
}
cluster kubectl create -f - >/dev/null <<C
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: $namespace}
webhooks:
$(for row in 'late 10' 'flaky 1' 'rare 1' 'never 1'; do webhook $row; done)
C
# The API server reads the configuration a moment later.
calls() { [[ "$(k create job probe --image none --dry-run=client -o yaml | sed 's/^metadata:/&\n  labels: {way: never}/' | k create -f - 2>&1)" = *'failed calling webhook'* ]]; }
stop_probe() { calls || { k delete job probe --ignore-not-found >/dev/null; return 1; }; }
eventually stop_probe

# submits WAY COUNT: runs that many submits, sixteen at a time. Prints the exit code of each.
submits() {
  seq "$2" | XDG_STATE_HOME=$work/state-$1 xargs -P 16 -I{} sh -c '"$KML" submit --name "$0-{}" --label "way=$0" --image none \
    --set spec.suspend=true -- true >/dev/null 2>"$0-{}.err"; echo $?' "$1"
}
# file WAY COUNT: submits that many jobs in one file.
file() {
  local i
  for i in $(seq "$2"); do
    echo "{apiVersion: batch/v1, kind: Job, metadata: {name: $1-of-file-$i, labels: {way: $1}}, spec: {suspend: true,
      template: {spec: {restartPolicy: Never, containers: [{name: main, image: none}]}}}}"
    echo ---
  done >"$1.yaml"
  XDG_STATE_HOME=$work/state-$1 "$KML" submit -f "$1.yaml" >/dev/null 2>"$1-of-file.err"
}
made() { k get jobs -l "way=$1" -o name | wc -l; } # WAY
# works WAY: checks that all submits succeed, for a way that lets jobs through.
works() {
  local begun=$SECONDS failed
  submits "$1" "$creates" >"$1.codes"
  file "$1" "$creates" || { echo "$1: the file: $(cat "$1-of-file.err")"; return 1; }
  failed=$(grep -cv '^0$' "$1.codes" || true)
  echo "$1: $creates submits, $failed failed; with the file, $(made "$1") jobs; $((SECONDS - begun)) s"
  # 99.9 % succeed, and no failed submit has made a job
  [ $((failed * 1000)) -le "$creates" ] && [ "$(made "$1")" = $((2 * creates - failed)) ]
}
# never_file, never: all end with an error that names the webhook, and make no job.
never_file() {
  local begun=$SECONDS
  file never "$creates" && return 1
  echo "never: the file took $((SECONDS - begun)) s"
  grep -q 'webhook "never.webhooks.kml.dev"' never-of-file.err && [ "$(made never)" = 0 ]
}
never() {
  local begun=$SECONDS count=$((creates / 10)) i
  [ "$creates" -lt 1000 ] || count=$creates
  submits never "$count" >never.codes
  echo "never: $count submits, $(grep -c '^1$' never.codes) failed: $((SECONDS - begun)) s"
  [ "$(grep -c '^1$' never.codes)" = "$count" ] && [ "$(made never)" = 0 ] || return 1
  for i in $(seq "$count"); do
    grep -q 'could not call webhook "never.webhooks.kml.dev": .*; tried [0-9]* times in [0-9]* s' "never-$i.err" || return 1
    grep -q 'fix: its program must answer at https://127.0.0.1' "never-$i.err" || return 1
  done
}
pids=()
ways=(late flaky)
[ "$creates" -lt 1000 ] || ways+=(rare)
for way in "${ways[@]}"; do works "$way" >"$way.told" & pids+=($!); done
for part in never never_file; do "$part" >"$part.told" & pids+=($!); done
failed=
for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
cat ./*.told
[ -z "$failed" ] || fail "$(tail -qn 4 ./*.err | sort | uniq -c | sort -rn | head -n 20)"
contains "$(cat never-1.err)" 'retrying for up to a minute'
