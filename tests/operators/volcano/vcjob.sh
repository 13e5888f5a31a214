. "$(dirname "$0")/../lib.sh"
# Volcano's own kind of job: a gang that runs, and one that waits for room in its queue.
kinds=pods,jobs.batch.volcano.sh,podgroups.scheduling.volcano.sh
trap 'status=$?; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true
  cluster kubectl delete queue.scheduling.volcano.sh vq --wait=false >/dev/null 2>&1 || true; finish $status' EXIT
cluster kubectl apply -f - >/dev/null <<'C'
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: vq}
spec: {weight: 1, capability: {nvidia.com/gpu: 8}}
C
# vcjob NAME TASKS NODE COMMAND...: prints the manifest of a job in the queue vq, with one GPU for each task. NODE: kwok or node1.
vcjob() {
  local selector='{type: kwok}' words
  [ "$3" = kwok ] || selector='{kubernetes.io/hostname: node1}'
  words=$(printf '"%s", ' "${@:4}")
  cat <<C
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: $1}
spec:
  schedulerName: volcano
  queue: vq
  minAvailable: $2
  tasks:
  - name: worker
    replicas: $2
    policies: [{event: TaskCompleted, action: CompleteJob}]
    template:
      metadata: {annotations: {kwok/run-for: 1h}}
      spec:
        restartPolicy: Never
        nodeSelector: $selector
        containers: [{name: main, image: localhost/busybox:1, command: [${words%, }], resources: {limits: {nvidia.com/gpu: 1}}}]
C
}
of=volcano.sh/job-name
phase() { k get jobs.batch.volcano.sh "$1" -o 'jsonpath={.status.state.phase}'; }
is_in() { [ "$(phase "$1")" = "$2" ]; } # NAME PHASE
vcjob v1 4 kwok sleep 3600 | k apply -f - >/dev/null
eventually are $of=v1 "4 Running"
vcjob v2 8 kwok sleep 3600 | k apply -f - >/dev/null
eventually is_in v2 Pending
waits_in_queue() { k get podgroups.scheduling.volcano.sh -o json | grep -q 'queue resource quota insufficient\|NotEnoughResources'; }
soon 60 waits_in_queue || true
check "list of a gang that runs" "Running 4/4 4" "$(listed v1)"
check "list of a gang that waits" "Waiting 0/8 8" "$(listed v2)"
check_says "why it waits" "queue vq has 8 GPUs, v1 uses 4" 'vq.*8 GPUs.*v1' "$(say why v2)"
check_says "queue: a gang is one job" "one row, v2" '^[^ ]* +([a-z]+/)?v2 ' "$(say queue --no-headers | grep v2)"
tells_use() { "$KML" list queues | grep -q '^ *vq .*4/8'; } # Volcano writes it a moment later
soon 30 tells_use || true
check_says "queues" "vq has 8 GPUs, 4 are used" 'vq.*4/8' "$(say list queues)"
check_runs "status" 0 "$KML" status v1
check_runs "cancel" 0 "$KML" cancel v1
ended() { [ -z "$(k get pods -l $of="$1" --field-selector status.phase=Running -o name)" ]; }
soon 30 ended v1 || k delete jobs.batch.volcano.sh v1 >/dev/null # so that the rest can be seen
check "list after the cancel" "Cancelled" "$(listed v1 | cut -d' ' -f1)"
eventually are $of=v2 "8 Running"
check "list of the next gang" "Running 8/8 8" "$(listed v2)"
check_runs "suspend" 0 "$KML" suspend v2
soon 30 ended v2 || true
check "no pod of a suspended job runs" "yes" "$(ended v2 && echo yes || echo no)"
check "list of a suspended job" "Suspended 0/8 8" "$(listed v2)"
check_runs "resume" 0 "$KML" resume v2
runs() { are $of=v2 "8 Running"; }
soon 60 runs || true
check "list of a resumed job" "Running 8/8 8" "$(listed v2)"
k delete jobs.batch.volcano.sh v2 >/dev/null || true

# Tests submit --wait, logs and wait on a real node.
vcjob v3 2 node1 sh -c 'echo hello; sleep 3' >v3.yaml
check_runs "submit -f --wait" 0 "$KML" submit -f v3.yaml --wait
check "its phase when --wait ended" Completed "$(phase v3 2>&1)"
eventually is_in v3 Completed
check "logs" "hello hello" "$(say logs v3 -o raw | xargs)"
check "list of a job that has ended" "Succeeded 2/2 2" "$(listed v3)"
check_runs "wait" 0 "$KML" wait v3
vcjob v4 1 node1 sh -c 'exit 3' >v4.yaml
check_runs "submit -f --wait of a job that fails" 3 "$KML" submit -f v4.yaml --wait
has_failed() { [[ "$(phase v4)" =~ Failed|Aborted|Completed|Terminated ]]; }
eventually has_failed
check "list of a job that failed" Failed "$(listed v4 | cut -d' ' -f1)"
check_says "logs --first-error" "exit code 3" 'exit code 3' "$(say logs v4 --first-error)"

# Tests the template volcano: ranks find each other, Volcano counts the attempts, and kml history shows each rank's pod as one
# attempt.
on_node1=(-t volcano --queue vq --image localhost/busybox:1 --node-selector kubernetes.io/hostname=node1)
check_runs "submit -t volcano" 0 "$KML" submit "${on_node1[@]}" --name t1 --nodes 2 --wait -- \
  sh -c 'until nslookup $MASTER_ADDR.$(cat /var/run/secrets/kubernetes.io/serviceaccount/namespace).svc.cluster.local >/dev/null; do sleep 1; done; echo rank $RANK of $WORLD_SIZE'
check "its log, rank 1" "rank 1 of 2" "$(say logs t1 --rank 1 -o raw)"
check "its queue" vq "$(k get jobs.batch.volcano.sh t1 -o 'jsonpath={.spec.queue}')"
check_runs "submit -t volcano --retries" 3 "$KML" submit "${on_node1[@]}" --name t2 --nodes 2 --retries 1 --wait -- sh -c 'sleep 1; exit $RANK'
check "how often it was retried" 2 "$(k get jobs.batch.volcano.sh t2 -o 'jsonpath={.status.retryCount}')"
# Volcano deletes a rank that still runs when the other rank fails for the last time.
check "history: each rank is one attempt" "$(k get pods -l volcano.sh/job-name=t2 -o name | sed 's/.*/1/' | xargs)" \
  "$("$KML" history t2 2>/dev/null | awk 'NR > 1 {print $1}' | xargs)"
