. "$(dirname "$0")/lib.sh"
# A pipeline whose engine is a job of the cluster. Its pod is killed three times and continues, and each step's job is
# created once, according to the audit log. Status, logs, why, attach, stop, resume and delete work from another
# machine.
kml() { timeout 1000 "$KML" "$@"; }
need_engine_image
need_volume runs ReadWriteMany
earlier=$(wc -l <"$cluster_state/audit.log") # entries of an earlier namespace with this name

# One step has code, one reads a file of this machine, one has a secret variable. All use the image in kml.yaml.
mkdir -p here/lib
cd here
echo '{image: "localhost/busybox:1", node-selector: {kubernetes.io/hostname: node1}}' >kml.yaml
kml trust >/dev/null 2>&1
echo 'cat "$1" >"$2"; /bin/busybox sleep 2; echo from $HIDDEN >>"$2"' >lib/train.sh
printf '1\n2\n' >words.txt
cat >pipeline.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: there}
spec:
  params: {n: {type: int, default: 1}}
  steps:
    load:
      inputs: {words: {path: words.txt}}
      command: [sh, -c, 'sleep 2; cat ${in.words} >${out.rows}; echo ${params.n} >>${out.rows}; echo [1] >${out.who}']
      outputs: {rows: dataset, who: value}
    train:
      inputs: {rows: load.rows}
      code: lib
      secrets: [HIDDEN]
      command: [sh, train.sh, '${in.rows}', '${out.model}']
      outputs: {model: model}
    score:
      inputs: {model: train.model}
      command: [sh, -c, 'until [ -e /go ]; do sleep 0.2; done; echo accuracy=0.9; cat ${in.model}']
      outputs: {accuracy: metric}
    report:
      foreach: {who: load.who}
      when: score.accuracy > 0.5
      inputs: {model: train.model}
      command: [sh, -c, 'tr "\n" , <${in.model}']
Y
export HIDDEN=sesame
kml trust pipeline.yaml >/dev/null 2>&1 # because it sends a secret
there=(--in-cluster --engine-image "$image" --journal-volume pvc/runs)
expect 2 kml run pipeline.yaml --in-cluster --engine-image "$image"
contains "$err" "--in-cluster needs --journal-volume"
expect 2 kml run pipeline.yaml --in-cluster --journal-volume pvc/runs
contains "$err" "examples/engine-image"
expect 1 kml run pipeline.yaml --name r1 --in-cluster --engine-image "$image" --journal-volume pvc/none
contains "$err" 'persistentvolumeclaim "none" does not exist'
[ -z "$(k get configmaps,secrets,roles,serviceaccounts -o name | grep -e r1)" ] || fail "it left $(k get configmaps,secrets,roles -o name)"
expect 0 kml run pipeline.yaml --name r1 "${there[@]}"
contains "$out" "run r1 is running in the cluster, as job r1-engine"
cd ..
unset HIDDEN
mv here elsewhere # from here on, the run needs neither files nor state of this machine
export XDG_STATE_HOME=$work/other-state

# The step `score` waits for this file, and continues now. So the engine was certainly still running until now.
release() { # RUN
  score() { k get pods -l "kml.dev/run=$1,kml.dev/step=score" --field-selector status.phase=Running -o name | grep .; }
  eventually score "$1"
  k exec "$(score "$1")" -- /bin/busybox touch /go || true # its pod may end first
}
kills=0
for step in load train score; do
  begun() { [ -n "$(k get pods -l "kml.dev/step=$step" -o name)" ]; } # it may have ended: this machine can be slow
  eventually begun
  pod=$(k get pods -l kml.dev/run-engine=r1 --field-selector status.phase=Running -o name)
  [ -z "$pod" ] || k delete "$pod" --force --grace-period=0 >/dev/null 2>&1
  kills=$((kills + 1))
done
expect 1 kml run resume r1
contains "$err" "is already running"
expect 0 kml why r1 # of which step depends on what the killed engine had seen
contains "$out$err" "r1"
release r1
expect 0 kml run attach r1
contains "$out" "report-0 done"
expect 0 kml run status r1
contains "$out" "r1  succeeded"
contains "$out" "accuracy=0.9"
expect 0 kml run list
contains "$out" "in the cluster"
expect 0 kml run logs r1 report
contains "$out" "1,2,1,from sesame,"
expect 0 kml run logs r1 --engine
contains "$out" "report-0 done"
made() { tail -n "+$((earlier + 1))" "$cluster_state/audit.log" | grep '"verb":"create"' | grep "/namespaces/$namespace/jobs" | grep '"stage":"ResponseComplete"' | grep '"code":201'; }
[ "$(made | grep -c ":$namespace:r1-engine\"")" = 4 ] || fail "$(made | wc -l) jobs were made: $(made | cut -c1-300)"
[ "$(k get jobs -l kml.dev/run=r1 -o name | wc -l)" = 4 ] || fail "$(k get jobs)"

# The run is listed with its parameters, metrics, attempts and images.
expect 0 kml runs --where 'kind == "pipeline"' -o 'jsonpath={[0].name} {[0].state} {[0].parameters.n} {[0].metrics.score\.accuracy.last} {[0].facts.attempts}'
[ "$out" = "r1 Succeeded 1 0.9 4" ] || fail "$out"
expect 0 kml runs -o json
contains "$out" '"train image digest": "sha256:'

# Another run finds the results on the volume; only changed steps run.
cd elsewhere
export HIDDEN=sesame
kml trust >/dev/null 2>&1; kml trust pipeline.yaml >/dev/null 2>&1
expect 0 kml run pipeline.yaml --name r2 "${there[@]}"
expect 0 kml run attach r2
[ "$(grep -c cached <<<"$out")" = 4 ] || fail "not cached: $out"

# The run is stopped during a step and resumed; that step runs again. A failed step is retried only on request, not
# after a restart.
sed 's/^metadata.*/metadata: {name: stops}/; s/sleep 2/sleep 1000/' pipeline.yaml >stops.yaml
kml trust stops.yaml >/dev/null 2>&1
expect 0 kml run stops.yaml --name r3 -p n=2 "${there[@]}"
loads() { k get pods -l kml.dev/run=r3,kml.dev/step=load -o 'jsonpath={.items[*].status.phase}' | grep -q Running; }
eventually loads
expect 0 kml run stop r3
expect 0 k wait job r3-engine --for=condition=Failed --timeout=1000s
expect 0 kml run status r3
contains "$out" "r3  stopped"
contains "$out" "cancelled"
expect 0 kml run resume r3
eventually loads
expect 0 kml run stop r3
expect 0 k wait job r3-engine --for=condition=Failed --timeout=1000s
expect 0 kml run status r3
contains "$out" "r3  stopped"

# With --store, the volume keeps outputs and also the journal, without another flag. The file that a step reads is
# copied there before the engine starts, so the original may be removed afterwards.
expect 0 kml run pipeline.yaml --name r4 --in-cluster --engine-image "$image" --store pvc/runs/team
mv words.txt moved.txt
release r4
expect 0 kml run attach r4
contains "$out" "report-0 done"
[ "$(cat "$volume/team/v1/data/r4/train/0/model")" = $'1\n2\n1\nfrom sesame' ] || fail "$(ls -lR "$volume")"
[ -s "$volume/team/engine/runs/r4/journal.jsonl" ] || fail "no journal there: $(ls -R "$volume/team")"
[ "$(cat "$volume"/team/v1/inputs/*/data)" = $'1\n2' ] || fail "$(ls -R "$volume/team/v1/inputs")"
copied() { ! k get pods -o name | grep kml-cp; }
eventually copied
mv moved.txt words.txt

# An artifact of this machine is copied with the code, or to the volume.
mkdir -p given/empty; echo one >given/a
expect 0 kml --context local artifact put given=given
cat >given.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: given}
spec:
  steps:
    read:
      inputs: {given: {artifact: given}}
      command: [sh, -c, 'cat ${in.given}/a >${out.all}; ls ${in.given} >>${out.all}; cat ${out.all}']
      outputs: {all: file}
Y
kml trust given.yaml >/dev/null 2>&1 # because it sends an artifact
expect 0 kml run given.yaml --name r5 "${there[@]}"
expect 0 kml run given.yaml --name r6 --in-cluster --engine-image "$image" --store pvc/runs/team
for run in r5 r6; do
  expect 0 kml run attach $run
  expect 0 kml run logs $run read
  [ "$(cut -d'|' -f2 <<<"$out" | tr -d ' ')" = $'one\na\nempty' ] || fail "$run: $out"
done

# Deleting a run also deletes everything that was copied for it.
for run in r1 r2 r3 r5 r6 r4; do expect 0 kml run delete $run; done
contains "$err" "/journal/runs/r4"
gone() { [ -z "$(k get configmaps,secrets,roles,rolebindings,jobs,pods -o name | grep -e r[1-6])" ]; }
eventually gone
expect 2 kml run status r1
contains "$err" 'no run "r1"'
expect 0 kml runs compare r1 r2 --all # their records stay
[[ $out =~ attempts\ +4\ +0 && $out =~ accuracy\ +0.9\ +0.9 ]] || fail "$out"

# Input that cannot be copied is rejected before anything is created.
sed 's/\[HIDDEN\]/["HIDDEN=@words.txt"]/' pipeline.yaml >file.yaml
kml trust file.yaml >/dev/null 2>&1
expect 2 kml run file.yaml "${there[@]}"
contains "$err" "only this machine has the secret"
expect 2 kml --context local run pipeline.yaml "${there[@]}"
contains "$err" "--in-cluster needs a cluster"
[ -z "$(k get configmaps -o name | grep kml-run)" ] || fail "$(k get configmaps)"
