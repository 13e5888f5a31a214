. "$(dirname "$0")/lib.sh"
# --topology places a job's pods in one rack, and if no rack is suitable, `kml why` explains it.
trap 'status=$?; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true
  cluster kubectl delete clusterqueues,resourceflavors -l "case=$namespace" --wait=false >/dev/null || true
  cluster kubectl delete topology "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
rack=0
for node in $(cluster kubectl get nodes -l type=kwok -o 'jsonpath={.items[*].metadata.name}'); do
  cluster kubectl label --overwrite node "$node" example.com/big-block=b1 "example.com/rack=r$((rack++ / 2))" >/dev/null # two nodes of 8 GPUs
done
cluster kubectl apply -f - >/dev/null <<C
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: $namespace}
spec: {levels: [{nodeLabel: example.com/big-block}, {nodeLabel: example.com/rack}, {nodeLabel: kubernetes.io/hostname}]}
C
queue lq 32 "" "topologyName: $namespace"
racks() { # NAME: the racks of its pods
  local node
  for node in $(k get pods -o 'jsonpath={range .items[*]}{.metadata.name}={.spec.nodeName} {end}' | tr ' ' '\n' | grep "^$1-" | cut -d= -f2); do
    cluster kubectl get node "$node" -o 'jsonpath={.metadata.labels.example\.com/rack}{"\n"}'
  done | sort | uniq -c | xargs
}
in_one_rack() { [[ "$(racks "$1")" =~ ^2\ r[0-9]+$ ]]; } # once both have a node
job two 8 --nodes 2 --topology rack
eventually runs two
eventually in_one_rack two
job pair 8 -t pytorchjob --nodes 2 --topology rack
eventually runs pair
eventually in_one_rack pair
expect 0 "$KML" why two
contains "$out" "runs: 2 of 2 pods"
why_says() { "$KML" why "$1" | grep -q "$2"; }
job three 8 --nodes 3 --topology rack
eventually why_says three "its 3 pods must be in one rack (example.com/rack), and even an empty one has room for at most 2"
"$KML" why three | grep -q "kml submit --topology rack:preferred" || fail "$("$KML" why three)"
expect 0 "$KML" cancel two three
eventually has_no_pods two
job half 5 --topology rack
job other 5 --topology rack
eventually runs half
eventually runs other
# Before the submit, --test-only says whether the pods fit in one rack.
would() { "$KML" submit --test-only --queue lq --gpus "$1" --image localhost/busybox:1 --node-selector type=kwok "${@:2}" -- train 2>&1 || true; }
contains "$(would 6 --topology rack)" "its pod must be in one rack (example.com/rack), and none has room for it now"
contains "$(would 8 --nodes 3 --topology rack)" "even an empty one has room for at most 2"
contains "$(would 3 --nodes 2 --topology rack)" "starts now"
job waits 5 --nodes 3 --topology rack
eventually why_says waits "must be in one rack"
expect 0 "$KML" cancel waits
job wide 8 --nodes 3 --topology rack:preferred # the remedy
expect 0 "$KML" cancel half other pair
eventually runs wide
expect 0 "$KML" cancel wide
# kml finds a topology level by its name, and rejects a wrong name before it submits the job.
job block 1 --topology block
[ "$(k get job block -o 'jsonpath={.spec.template.metadata.annotations.kueue\.x-k8s\.io/podset-required-topology}')" = example.com/big-block ] ||
  fail "$(k get job block -o yaml)"
expect 2 "$KML" submit --name none --queue lq --topology floor --image localhost/busybox:1 -- train
expect 2 "$KML" submit --plan - --name none --queue lq --topology floor --image localhost/busybox:1 -- train
contains "$err" "example.com/rack"
expect 2 "$KML" submit --name none --topology rack --image localhost/busybox:1 -- train
contains "$err" "needs a Kueue queue"
