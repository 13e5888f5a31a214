. "$(dirname "$0")/lib.sh"
# A watch continues after the API server was killed, and after a gap that the new server has no record of (410).
name=$KML_CLUSTER-restart
state=${TMPDIR:-/tmp}/kml-cluster/$name
watcher=
own() { KML_CLUSTER=$name cluster "$@"; }
trap 'status=$?; kill -KILL $watcher 2>/dev/null || true; own down; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
own down
expect 0 own up
export KUBECONFIG=$state/kubeconfig
restart_api_server() {
  own exec bash -c '
    pid=$(cat '"$state"'/apiserver.pid)
    mapfile -d "" -t command </proc/$pid/cmdline
    kill -KILL $pid
    while kill -0 $pid 2>/dev/null; do sleep 0.05; done
    setsid "${command[@]}" >>'"$state"'/apiserver.log 2>&1 </dev/null & echo $! >'"$state"'/apiserver.pid'
  # The server's admission control rejects objects that it cannot check yet.
  eventually own kubectl create job probe --image none --dry-run=server
}
submit() {
  printf '{apiVersion: batch/v1, kind: Job, metadata: {name: %s}, spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: main, image: x}]}}}}' "$1" >job.yaml
  expect 0 "$KML" submit -f job.yaml
}
# The jobs in the last table that the watch printed, sorted.
shown() { tac seen | sed '/^JOB/q' | tac | sed 1d | cut -d' ' -f1 | sort | xargs; }
shows() { [ "$(shown)" = "$*" ]; }

submit first
"$KML" list -w >seen 2>errors &
watcher=$!
eventually shows first
restart_api_server
submit second
eventually shows first second

kill -STOP $watcher
submit third
expect 0 "$KML" delete first
restart_api_server
submit fourth
kill -CONT $watcher
eventually shows fourth second third
kill -0 $watcher || fail "the watch ended: $(cat errors)"
