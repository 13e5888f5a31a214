. "$(dirname "$0")/../lib.sh"
# Kubernetes' Job and the training operator's PyTorchJob under Volcano's scheduler: each of them gets a
# PodGroup.
kinds=pods,jobs,pytorchjobs,podgroups.scheduling.volcano.sh
trap 'status=$?; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true
  cluster kubectl delete queue.scheduling.volcano.sh jq --wait=false >/dev/null 2>&1 || true; finish $status' EXIT
cluster kubectl apply -f - >/dev/null <<'C'
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: jq}
spec: {weight: 1, capability: {nvidia.com/gpu: 8}}
C
volcano=(--set spec.template.spec.schedulerName=volcano)
hour=(--set 'spec.template.metadata.annotations["kwok/run-for"]="1h"')
check_runs "submit of a Job with --queue" 0 "$KML" submit --no-check --name j1 --queue jq --gpus 6 "${on_kwok[@]}" "${volcano[@]}" "${hour[@]}" -- train
groups() { k get podgroups.scheduling.volcano.sh -o 'jsonpath={range .items[*]}{.spec.queue} {end}' | xargs; }
runs() { are job-name="$1" "1 Running"; }
soon 20 runs j1 || true
check "the queue of its PodGroup" jq "$(groups)"
check "list of the Job" "Running 1/1 6" "$(listed j1)"
k delete job j1 >/dev/null 2>&1 || true

# Tests the queue in the annotation that Volcano itself reads.
in_jq=(--set 'spec.template.metadata.annotations={"kwok/run-for": "1h", "scheduling.volcano.sh/queue-name": "jq"}')
check_runs "submit of a Job in the queue by annotation" 0 "$KML" submit --no-check --name j2 --gpus 6 "${on_kwok[@]}" "${volcano[@]}" "${in_jq[@]}" -- train
eventually runs j2
check "list of the Job by annotation" "Running 1/1 6" "$(listed j2)"
check_runs "submit of the next" 0 "$KML" submit --no-check --name j3 --gpus 6 "${on_kwok[@]}" "${volcano[@]}" "${in_jq[@]}" -- train
has_group() { [ "$(groups)" = "jq jq" ]; }
eventually has_group
check "list of the Job that its queue holds" "Waiting 0/1 6" "$(listed j3)"
check_says "why" "queue jq has 8 GPUs, j2 uses 6" 'jq.*8 GPUs.*j2' "$(say why j3)"
check_runs "cancel" 0 "$KML" cancel j2
eventually runs j3
check_runs "cancel of the last" 0 "$KML" cancel j3
# If the pods of a Job have failed, Volcano 1.10 treats the Job's PodGroup as waiting, and keeps GPUs for it
# until the Job is deleted.
check_runs "delete" 0 "$KML" delete j2 j3

# Tests a gang, whose PodGroup the training operator makes.
pytorch=(-t pytorchjob --nodes 2 "${on_kwok[@]}")
for replica in Master Worker; do pytorch+=(--set "spec.pytorchReplicaSpecs.$replica.template.metadata.annotations={\"kwok/run-for\": \"1h\"}"); done
pytorch+=(--set spec.runPolicy.schedulingPolicy.queue=jq)
of=training.kubeflow.org/job-name
check_runs "submit of a PyTorchJob" 0 "$KML" submit --no-check --name p1 "${pytorch[@]}" --gpus 3 -- train
eventually are $of=p1 "2 Running"
check "list of the PyTorchJob" "Running 2/2 6" "$(listed p1)"
check_runs "submit of a gang that waits" 0 "$KML" submit --no-check --name p2 "${pytorch[@]}" --gpus 2 -- train
# The job's pods are created once its PodGroup may run.
is_held() { [ "$(k get podgroup.scheduling.volcano.sh p2 -o 'jsonpath={.status.phase}')" = Pending ]; }
eventually is_held
check "list of a gang that waits" "Waiting 0/2 4" "$(listed p2)"
check_says "why the gang waits" "queue jq has 8 GPUs, p1 uses 6" 'jq.*8 GPUs.*p1' "$(say why p2)"
check_runs "suspend" 0 "$KML" suspend p1
eventually are $of=p2 "2 Running"
check "list of the suspended" "Suspended 0/2 6" "$(listed p1)"
check_runs "cancel of a gang" 0 "$KML" cancel p2
check_runs "resume" 0 "$KML" resume p1
eventually are $of=p1 "2 Running"
check "list of the resumed" "Running 2/2 6" "$(listed p1)"
