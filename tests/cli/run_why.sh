# kml why RUN names the step that holds up the run: one whose container cannot start, rather than a failed step whose
# failure does not end the run. The waiting step is not shown as running. A step that is a sweep has no job.
. "$(dirname "$0")/lib.sh"
: >code
"$KML" template show job | sed 's/^\( *\)- name: main$/&\n\1  envFrom: [{secretRef: {name: none}}]/' >secret.yaml
cat >p.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: held}
spec:
  defaults: {code: {paths: [code]}}
  steps:
    fails: {command: [sh, -c, 'exit 3'], onFailure: continue}
    waits: {after: [fails], template: ./secret.yaml, command: ["true"]}
    tune:
      after: [waits]
      sweep: {param: {x: "1"}, maximize: score, trials: 1}
      command: [sh, -c, 'until [ -e go ]; do sleep 0.05; done; echo score=1', sh, "{args}"]
Y
expect 0 "$KML" trust p.yaml
"$KML" run p.yaml --name held >out1 2>err1 &
engine=$!
says() { "$KML" why held 2>&1 | grep -e "$1"; }
eventually says "^job held-waits: cannot start"
expect 0 "$KML" why held
contains "$err" "run held: step waits starting"
contains "$out" "Secret none does not exist"
shows() { "$KML" run status held | tr -s ' ' | grep "waits starting .* no Secret none"; }
eventually shows
# When the missing Secret is created, the step runs, and the sweep starts.
echo '{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "none"}}' >none.json
expect 0 "$KML" submit -f none.json
eventually says "step tune running"
expect 0 "$KML" why held
contains "$err" '`kml sweep status held-tune` shows its trials'
: >go
wait $engine || fail "$(cat out1 err1)"
# For a run that has succeeded, kml why shows the failure that did not end it.
expect 0 "$KML" why held
contains "$err" "run held: step fails failed: exit code 3"

# A step may fail before it has a job.
cat >early.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: early}
spec:
  steps:
    load: {code: {paths: [none.py]}, command: ["true"]}
    use: {after: [load], command: ["true"]}
Y
expect 3 "$KML" run early.yaml --name early
expect 0 "$KML" why early
contains "$err" "run early: step load failed: code.paths matches no file: none.py"

# kml why suggests the log of the step that ended the run, not of a step whose failure is allowed.
cat >order.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: order}
spec:
  steps:
    allowed: {command: [sh, -c, 'exit 3'], onFailure: continue}
    ends: {after: [allowed], command: [sh, -c, 'exit 5']}
Y
expect 3 "$KML" run order.yaml --name order
contains "$err" '`kml run logs order ends` prints the log of step ends'
expect 0 "$KML" why order
contains "$out" "exit code 5"
[[ $out != *retries* ]] || fail "the engine retries steps: $out"
