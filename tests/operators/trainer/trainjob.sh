. "$(dirname "$0")/../lib.sh"
# TrainJobs from kml's template: flags set the fields that this version of Trainer has for them.
kinds=pods,jobs,jobsets,trainjobs
trap 'status=$?; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true
  cluster kubectl delete clustertrainingruntime "$runtime" --wait=false >/dev/null || true; finish $status' EXIT
# Trainer's own runtimes need images of several GB.
runtime=kml-test
cluster kubectl apply -f - >/dev/null <<C
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: $runtime, labels: {trainer.kubeflow.org/framework: torch}}
spec:
  mlPolicy: {numNodes: 1, torch: {}}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec: {backoffLimit: 0, template: {spec: {restartPolicy: Never, containers: [{name: node, image: localhost/busybox:1}]}}}
C
train=(-t trainjob -p runtime=$runtime --nodes 2 "${on_node1[@]}")
of=jobset.sigs.k8s.io/jobset-name
pod_has() { k get pods -l $of="$1" -o "jsonpath={range .items[*]}{$2} {end}" | xargs; } # NAME PATH

mkdir -m 777 "$cluster_state/$namespace"
echo data >"$cluster_state/$namespace/file"
wait_for='until [ -f /go/go ]; do sleep 0.2; done'
check_runs "submit" 0 "$KML" submit --name all "${train[@]}" --gpus 1 --mount "host$cluster_state/$namespace:/go" --env FOO='a b' \
  --label team=nlp -- sh -c "echo \"FOO is \$FOO, \$(cat /go/file)\"; $wait_for"
eventually are $of=all "2 Running"
check "list" "Running 2/2 2" "$(listed all)"
check "GPUs of the pods" "1 1" "$(pod_has all '.spec.containers[0].resources.limits.nvidia\.com/gpu')"
check "--node-selector of the pods" "node1 node1" "$(pod_has all '.spec.nodeSelector.kubernetes\.io/hostname')"
wrote() { [ "$(say logs all -o raw | grep -c 'FOO is a b, data')" = 2 ]; }
soon 60 wrote || true
check_says "logs: --env and --mount" "both pods see them" 'FOO is a b, data.*FOO is a b, data' "$(say logs all -o raw)"
check "logs --rank 1" "FOO is a b, data" "$(say logs all --rank 1 -o raw)"
if [ "$OPERATOR" = trainer-2.0 ]; then
  check_says "--label of the pods" "2.0 has no place for it, and kml says so" 'labels? ' \
    "$(say submit --dry-run=server --name marked "${train[@]}" --label team=nlp -- true)"
else
  check "--label of the pods" "nlp nlp" "$(pod_has all '.metadata.labels.team')"
fi
check_says "queue" "one row" '^[^ ]+ +trainjob/all .* 2 +.*Running' "$(say queue --no-headers)"
touch "$cluster_state/$namespace/go"
check_runs "wait" 0 "$KML" wait all
check "list, at the end" "Succeeded 2/2 2" "$(listed all)"
check "RUN TIME, at the end" yes "$(run_time all)"
check "history: one attempt of each pod" "1 1" "$(say history all | awk 'NR > 1 { print $1 }' | xargs)"
rm -rf "${cluster_state:?}/$namespace"

check_runs "submit --wait of a job that fails" 3 "$KML" submit --name bad "${train[@]}" --wait -- \
  sh -c '[ "$JOB_COMPLETION_INDEX" = 0 ] || { echo boom; exit 3; }; sleep 3600'
check_says "first-error" "rank 1, exit code 3, boom" 'exit code 3.*boom|boom.*exit code 3' "$(say logs bad --first-error)"
check_says "why" "a pod ended with 3" 'exit code 3' "$(say why bad)"
check "list, failed" Failed "$(listed bad | cut -d' ' -f1)"
"$KML" delete bad >/dev/null 2>&1 || true

late=() # what this version has a place for
case $OPERATOR in
  trainer-2.0) ;;
  trainer-2.1) late=(--pull-secret reg) ;;
  *) late=(--pull-secret reg --grace 7s) ;;
esac
check_runs "submit of a job that cannot fit" 0 "$KML" submit --no-check --name large "${train[@]}" "${late[@]}" --toleration spot --gpus 8 -- true
eventually are $of=large "2 Pending"
check "list of it" "Waiting 0/2 16" "$(listed large)"
check "--toleration of its pods" "spot spot" "$(pod_has large '.spec.tolerations[?(@.key=="spot")].key')"
[[ " ${late[*]} " != *" --pull-secret "* ]] || check "--pull-secret of its pods" "reg reg" "$(pod_has large '.spec.imagePullSecrets[*].name')"
[[ " ${late[*]} " != *" --grace "* ]] || check "--grace of its pods" "7 7" "$(pod_has large .spec.terminationGracePeriodSeconds)"
check_says "why of it" "node1 has 4 GPUs, a pod asks for 8" 'asks for 8 GPUs.* 4' "$(say why large)"
check_runs "cancel of it" 0 "$KML" cancel large
gone() { [ -z "$(phases $of="$1")" ]; }
soon 60 gone large || true
check "its pods after the cancel" "" "$(phases $of=large)"
check "list, cancelled" Cancelled "$(listed large | cut -d' ' -f1)"

check_runs "submit to suspend" 0 "$KML" submit --name held "${train[@]}" -- sh -c 'sleep 3600'
eventually are $of=held "2 Running"
check_runs "suspend" 0 "$KML" suspend held
soon 60 gone held || true
check "list, suspended" "Suspended 0/2 0" "$(listed held)"
check_runs "resume" 0 "$KML" resume held
eventually are $of=held "2 Running"
check "list, resumed" "Running 2/2 0" "$(listed held)"
check_runs "cancel" 0 "$KML" cancel held
soon 60 gone held || true
check "its pods, cancelled" "" "$(phases $of=held)"

case $OPERATOR in
  trainer-2.[01])
    check_says "--time-limit" "it is refused: TrainJob has it since 2.2" '--time-limit.*too old' \
      "$(say submit --name limit "${train[@]}" --time-limit 5s -- sh -c 'sleep 3600')" ;;
  *)
    check_runs "--time-limit" 3 "$KML" submit --name limit "${train[@]}" --time-limit 5s --wait -- sh -c 'sleep 3600'
    check "list, over its limit" Failed "$(listed limit | cut -d' ' -f1)"
    check_says "why, over its limit" "it reached its time limit" 'time limit' "$(say why limit)" ;;
esac
