. "$(dirname "$0")/lib.sh"
# A sweep whose engine is a job of the cluster. Its pod is killed twice and continues, and each trial runs once,
# according to the audit log. Status, best, export and report can read the sweep from this machine; stop, a
# larger budget and delete work, too.
need_engine_image
need_volume runs ReadWriteOnce

earlier=$(wc -l <"$cluster_state/audit.log") # entries of an earlier namespace with this name
sweep() { "$KML" sweep "$@"; }
engine=(--in-cluster --engine-image "$image" --journal-volume pvc/runs)
# A trial ends only when $folder/limit allows its x, so that the sweep is still running when this test
# examines it.
folder=$cluster_state/limit-$namespace
rm -rf "$folder"; mkdir -m 755 "$folder"
limit() { echo "$1" >"$folder/new"; mv "$folder/new" "$folder/limit"; }
trial=(--mount "host$folder:/limit:ro" "${on_node1[@]}" --grace 1s -- sh -c
  'echo step=1 score=0; until read limit </limit/limit && [ {x} -le $limit ]; do /bin/busybox sleep 0.2; done; echo step=2 score={x}')
run() { sweep run s1 --param x=1..20 --maximize score --trials "$1" --parallel 3 --algorithm grid "${engine[@]}" "${trial[@]}"; }
expect 2 sweep run s1 --param x=1..2 --maximize score --in-cluster --engine-image "$image" "${on_node1[@]}" -- echo '{x}'
contains "$err" "--journal-volume pvc/CLAIM"
expect 2 sweep run s1 --param x=1..2 --maximize score --in-cluster --journal-volume pvc/runs "${on_node1[@]}" -- echo '{x}'
contains "$err" "examples/engine-image"
expect 1 sweep run s1 --param x=1..2 --maximize score --in-cluster --engine-image "$image" --journal-volume pvc/none "${on_node1[@]}" -- echo '{x}'
contains "$err" 'persistentvolumeclaim "none" does not exist'
[ -z "$(k get configmaps,roles,serviceaccounts -o name | grep -e s1)" ] || fail "it left $(k get configmaps,roles -o name)"

python3 -c '
import json
for i in range(20000): print(json.dumps({"trial": i, "state": "complete", "value": i / 3, "parameters": {"x": i / 20000}}))' >many.jsonl
expect 2 sweep run s1 --param x=0.0..1.0 --maximize score --warm-start many.jsonl "${engine[@]}" "${on_node1[@]}" -- echo '{x}'
contains "$err" "too large for the cluster"

limit 2
expect 0 run 12
contains "$out" "as job s1-engine"
ended() { [ "$("$KML" sweep export s1 2>/dev/null | grep -c ,complete,)" -ge "$1" ]; }
kills=0
engine_pod() { k get pods -l kml.dev/sweep-engine=s1 --field-selector status.phase=Running -o name | grep .; }
for after in 2 5; do
  limit $after
  eventually ended $after
  eventually engine_pod
  k delete "$(engine_pod)" --force --grace-period=0 >/dev/null 2>&1
  kills=$((kills + 1))
done
expect 0 sweep status s1
contains "$out" "of 12 trials done"
expect 1 run 12
contains "$err" "is already running"
expect 2 sweep run s1 --param x=1..20 --maximize score "${on_node1[@]}" -- sh -c 'echo score={x}'
contains "$err" "in use by another sweep in the cluster"
limit 16
done_1() { k wait --for=condition=Complete job/s1-engine --timeout=1s; }
eventually done_1
expect 0 sweep status s1
contains "$out" "12 of 12 trials done, 0 running; best score 12 (trial 11)"
contains "$out" "ended: all 12 trials are done"
expect 0 sweep best s1
contains "$out" "score=12 (trial 11"
expect 0 sweep replay s1
contains "$out" "12 proposals, 0 differ"
expect 0 sweep report s1
grep -q "</html>" s1.html
expect 0 sweep list
contains "$out" "in the cluster"
expect 0 "$KML" runs --where 'kind == "sweep"' -o 'jsonpath={[0].name} {[0].state} {[0].parameters.x} {[0].metrics.score.last}'
[ "$out" = "s1 Ended 12 12" ] || fail "$out"
expect 0 sweep logs s1
contains "$out" "trial 11 complete  score=12  x=12"
expect 0 sweep logs s1 11
contains "$out" "step=2 score=12"
expect 0 "$KML" logs s1-engine
contains "$out" "trial 11 complete"

# Each trial was created once, by the engine's service account.
made() { tail -n "+$((earlier + 1))" "$cluster_state/audit.log" | grep '"verb":"create"' | grep "/namespaces/$namespace/jobs" | grep '"stage":"ResponseComplete"' | grep '"code":201'; }
[ "$(made | grep -c ":$namespace:s1-engine\"")" = 12 ] || fail "$(made | wc -l) jobs were made: $(made | cut -c1-300)"
[ "$(k get jobs -l kml.dev/sweep=s1 -o name | wc -l)" = 12 ] || fail "$(k get jobs)"

# A larger budget continues the sweep, stop ends it, and a changed search space is rejected.
expect 2 sweep run s1 --param x=1..21 --maximize score --trials 13 --algorithm grid "${engine[@]}" "${trial[@]}"
contains "$err" "spec.parameters"
expect 0 run 20
eventually ended 13
expect 0 sweep stop s1
done_2() { k wait --for=condition=Complete job/s1-engine --timeout=1s && "$KML" sweep status s1 | grep -q "ended: stopped"; }
eventually done_2
limit 20
expect 0 sweep resume s1
eventually done_1
expect 0 sweep status s1
contains "$out" "of 20 trials done, 0 running"
contains "$out" "ended: all 20 trials are done"
expect 0 sweep delete s1
none() { [ -z "$(k get configmaps,roles,rolebindings,jobs,pods -o name | grep -e s1)" ]; }
eventually none
expect 2 sweep status s1
expect 0 "$KML" runs export --where 'name == "s1"'
contains "$out" ",s1," # its record stays

# The journal is still on the volume and prevents another sweep with that name until it is removed by the
# steps that `kml sweep delete` prints.
expect 0 run 2
failed_1() { k wait --for=condition=Failed job/s1-engine --timeout=1s; }
eventually failed_1
expect 1 sweep status s1
contains "$("$KML" logs s1-engine)" "the volume already has the journal of another sweep s1"
expect 0 sweep delete s1
clean=(--mount pvc/runs:/journal -- rm -r /journal/sweeps/s1)
contains "$err" "kml submit --image busybox ${clean[*]}"
expect 0 "$KML" submit --name clean "${on_node1[@]}" --wait "${clean[@]:0:2}" -- /bin/busybox "${clean[@]:3}"
[ ! -e "$volume/sweeps/s1" ] || fail "$(ls -R "$volume")"
limit 4
expect 0 run 8

# If an engine ended although its sweep has not, this is reported.
eventually ended 1
k patch job s1-engine -p '{"spec": {"activeDeadlineSeconds": 1}}' >/dev/null
eventually failed_1
expect 0 sweep status s1
contains "$out" "no engine is running: kml sweep resume s1"
limit 20
expect 0 sweep resume s1
eventually done_1
expect 0 sweep status s1
contains "$out" "8 of 8 trials done"
[[ "$out" != *"no engine is running"* ]] || fail "$out"

# Trials can be indexes of one Job, or PyTorchJobs; two engines can run at the same time.
expect 0 sweep run s2 --fan-out indexed --param x=1..6 --maximize score --parallel 3 --algorithm grid "${engine[@]}" "${on_node1[@]}" \
  --grace 1s -- sh -c 'echo score={x}'
cat >torch.yaml <<Y
apiVersion: kml.dev/v1
kind: Sweep
metadata: {name: s3}
spec:
  objective: {type: maximize, objectiveMetricName: score}
  algorithm: {algorithmName: grid}
  parallelTrialCount: 2
  parameters: [{name: x, parameterType: int, feasibleSpace: {min: 1, max: 3}}]
  trialTemplate:
    trialSpec:
      apiVersion: kubeflow.org/v1
      kind: PyTorchJob
      spec:
        pytorchReplicaSpecs:
          Master:
            replicas: 1
            restartPolicy: Never
            template:
              spec:
                nodeSelector: {kubernetes.io/hostname: node1}
                containers: [{name: pytorch, image: localhost/busybox:1, command: [sh, -c, "echo score={x}"]}]
Y
expect 0 sweep run -f torch.yaml "${engine[@]}"
done_3() { k wait --for=condition=Complete job/s2-engine --timeout=1s; }
eventually done_3
expect 0 sweep status s2
contains "$out" "6 of 6 trials done, 0 running; best score 6 (trial 5)"
[ "$(k get jobs -l kml.dev/sweep=s2 -o name)" = job.batch/s2 ] || fail "$(k get jobs)"
done_4() { k wait --for=condition=Complete job/s3-engine --timeout=1s; }
eventually done_4
expect 0 sweep status s3
contains "$out" "3 of 3 trials done, 0 running; best score 3 (trial 2)"
[ "$(k get pytorchjobs -l kml.dev/sweep=s3 -o name | wc -l)" = 3 ] || fail "$(k get pytorchjobs)"
