# The API server rejects requests for a while, although its watches still work: the sweep waits, can be interrupted
# and continued in the meantime, and creates each trial's job once.
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cli/local_server.sh"
python3 "$SOURCE/tests/support/refusing_proxy.py" "${url#https://}" "$work/away" >proxy 2>&1 &
proxy=$!
trap 'status=$?; kill $proxy ${first-} ${second-} 2>/dev/null || true; end_server; finish $status' EXIT
eventually grep -q . proxy
sed "s|$url|https://127.0.0.1:$(head -1 proxy)|" "$KUBECONFIG" >through
cat >sweep.yaml <<Y
apiVersion: kml.dev/v1
kind: Sweep
metadata: {name: s1}
spec:
  objective: {type: maximize, objectiveMetricName: score}
  metricsCollectorSpec: {collector: {kind: TerminationMessage}}
  algorithm: {algorithmName: grid}
  parallelTrialCount: 4
  parameters: [{name: x, parameterType: int, feasibleSpace: {min: 1, max: 12}}]
  trialTemplate:
    trialSpec:
      apiVersion: batch/v1
      kind: Job
      spec:
        template:
          spec:
            restartPolicy: Never
            containers:
              - {name: main, image: trainer, command: [sh, -c, "echo score={x} >/dev/termination-log; until [ -e '$work/go' ]; do sleep 0.05; done"]}
Y
refused() { [ "$(grep -c ended proxy)" -ge "$1" ]; }
KUBECONFIG=$work/through "$KML" sweep run -f sweep.yaml >/dev/null 2>first &
first=$!
running() { [ "$("$KML" sweep status s1 | grep -c running)" -ge 4 ]; }
eventually running
touch away go
eventually grep -q "retrying" first
eventually grep -q "cannot create job\|cannot list pods" first
kill $first
interrupted=0
wait $first || interrupted=$?
[ $interrupted = 130 ] || fail "exit $interrupted: $(cat first)"
KUBECONFIG=$work/through "$KML" sweep resume s1 >/dev/null 2>second &
second=$!
before=$(grep -c ended proxy)
eventually refused $((before + 4))
rm away
wait $second || fail "$(cat second)"
contains "$(cat second)" "12 of 12 trials done"
[ "$(grep -c "retrying" second)" = 1 ] || fail "$(cat second)"
"$KML" sweep export s1 -o jsonl | python3 -c '
import json, sys
for trial in map(json.loads, sys.stdin):
    assert trial["state"] == "complete" and trial["attempt"] == 0 and trial["value"] == trial["parameters"]["x"], trial
'
[ "$(kubectl get jobs -o name | wc -l)" = 12 ] || fail "$(kubectl get jobs)"
