# A job that Kueue has copied to another cluster (MultiKueue): logs, exec and why follow it to the context with that
# cluster's name, if the cluster has the copy.
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cli/local_server.sh"
python3 "$SOURCE/tests/support/multikueue_proxy.py" "$url" "$token" "$work/cluster" >proxy 2>proxy.err &
proxy=$!
trap 'status=$?; kill $proxy 2>/dev/null || true; end_server; finish $status' EXIT
eventually grep -q . proxy
# contexts NAME: writes a kubeconfig with the contexts "near", the proxy, and NAME, the server itself.
contexts() {
  cat >config <<Y
apiVersion: v1
kind: Config
current-context: near
clusters:
- {name: near, cluster: {server: "http://127.0.0.1:$(head -1 proxy)"}}
- {name: there, cluster: {server: "$url", certificate-authority: "$work/ca.pem"}}
users:
- {name: nobody, user: {}}
- {name: me, user: {token: "$token"}}
contexts:
- {name: near, context: {cluster: near, user: nobody}}
- {name: $1, context: {cluster: there, user: me}}
Y
}
contexts other
export KUBECONFIG=$work/config
cat >job.yaml <<Y
apiVersion: batch/v1
kind: Job
metadata:
  name: bert
  labels: {kueue.x-k8s.io/queue-name: lq, kueue.x-k8s.io/multikueue-origin: multikueue}
  annotations: {kueue.x-k8s.io/prebuilt-workload-name: job-1a2b3}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: none, command: [sh, -c, "echo step 1; until [ -e '$work/go' ]; do sleep 0.05; done; echo step 2; exit 7"]}]
Y
expect 0 "$KML" --context other submit --no-check -f job.yaml
runs() { [[ "$("$KML" --context other logs bert)" = *"step 1"* ]]; }
eventually runs

# Kueue has not chosen a cluster.
expect 0 "$KML" logs bert
[ -z "$out" ] || fail "$out"
expect 0 "$KML" why bert
contains "$out" "waits for the admission check there"
"$KML" logs -f bert >follow.out 2>follow.err &
follow=$!
eventually grep -q "bert waits: waits for a check: there" follow.err
# Kueue chooses a cluster, but no context of the user has that cluster's name.
echo west >cluster
failed=0
wait $follow || failed=$?
[ $failed = 1 ] || fail "$failed: $(cat follow.err)"
for command in "logs bert" "exec bert -- true"; do
  expect 1 "$KML" $command
  contains "$err" 'job bert runs in cluster west, and kml does not know which of your contexts is for that cluster'
  contains "$err" "rename your context of that cluster to west"
done
expect 0 "$KML" why bert
contains "$out" "Kueue runs it in cluster west"
contains "$out" "rename your context of that cluster to west"

# The context with the cluster's name has another job with the job's name.
contexts west
expect 0 kubectl --context west annotate --overwrite job bert kueue.x-k8s.io/prebuilt-workload-name=job-other
expect 1 "$KML" exec bert -- true
contains "$err" "your context west has no copy of it"
expect 0 kubectl --context west annotate --overwrite job bert kueue.x-k8s.io/prebuilt-workload-name=job-1a2b3

expect 0 "$KML" logs bert
[ "$out" = "step 1" ] || fail "$out"
contains "$err" "job bert runs in cluster west"
expect 0 "$KML" exec bert -- echo inside
[ "$out" = inside ] || fail "$out"
expect 0 "$KML" why bert
contains "$out" "runs: 1 of 1 pods"
expect 0 "$KML" why bert -o json
rm cluster
"$KML" logs -f bert >follow.out 2>follow.err & # before Kueue has chosen
follow=$!
eventually grep -q "bert waits: waits for a check: there" follow.err
echo west >cluster
eventually grep -q "step 1" follow.out
touch go
failed=0
wait $follow || failed=$?
[ $failed = 3 ] || fail "$failed: $(cat follow.err)"
[ "$(xargs <follow.out)" = "step 1 step 2" ] || fail "$(cat follow.out)"
contains "$(cat follow.err)" "exit code 7"
expect 3 "$KML" wait bert

# A job that is stopped: kml waits for its pods in the other cluster, which end after the job here is suspended.
again() {
  rm -f cluster.held
  "$KML" --context west delete bert --yes >/dev/null 2>&1 || true # it may be gone
  touch cluster
  echo west >cluster
  rm -f go
  expect 0 "$KML" --context west submit --no-check -f job.yaml
  runs_there() { [[ "$("$KML" --context west logs bert)" = *"step 1"* ]]; }
  eventually runs_there
}
going() { kubectl --context west get pods -o json | python3 -c 'import json, sys
print(sum(pod["status"]["phase"] == "Running" and "deletionTimestamp" not in pod["metadata"] for pod in json.load(sys.stdin)["items"]))'; }
for verb in cancel suspend; do
  again
  [ "$(going)" = 1 ] || fail "$verb: $(going) pods before"
  expect 0 "$KML" $verb bert
  [ "$(going)" = 0 ] || fail "$verb: the pod in the other cluster still runs"
  [[ "$err" != *"does not know"* ]] || fail "$err"
  gone() { ! kubectl --context west get job bert >/dev/null 2>&1; }
  eventually gone
  contexts west
done
# Without a context of the other cluster, kml says that it does not know whether the pods have stopped.
again
contexts other
expect 0 "$KML" cancel bert
contains "$err" "kml does not know whether the job's pods in cluster west have stopped: job bert runs in cluster west"
