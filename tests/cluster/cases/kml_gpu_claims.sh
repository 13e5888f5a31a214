. "$(dirname "$0")/lib.sh"
# Tests a choice of GPUs, such as --gpus 'h100|a100:2' or '>=40Gi:1'. kml uses resource claims if the cluster
# has the DeviceClass of NVIDIA's driver; otherwise it uses node labels, and says so. kml top nodes counts the
# devices, and kml why explains claims.
forget() {
  cluster kubectl delete resourceslices "$namespace-1-gpus" "$namespace-2-gpus" --ignore-not-found >/dev/null
  cluster kubectl delete deviceclass gpu.nvidia.com --ignore-not-found >/dev/null
}
trap 'status=$?; forget || true; cluster kubectl delete nodes -l "case=$namespace" --wait=false >/dev/null || true
  cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
k get resourceslices.v1.resource.k8s.io >/dev/null 2>&1 || { echo "SKIPPED: this Kubernetes has no resource claims"; trap - EXIT; finish 77; }
for node in 1 2; do
  cluster kubectl apply -f - >/dev/null <<N
apiVersion: v1
kind: Node
metadata: {name: $namespace-$node, annotations: {kwok.x-k8s.io/node: fake}, labels: {case: $namespace}}
spec: {taints: [{key: case, value: $namespace, effect: NoSchedule}]}
status:
  allocatable: {cpu: "32", memory: 256Gi, pods: "110"}
  capacity: {cpu: "32", memory: 256Gi, pods: "110"}
N
done
ready() { k wait --for=condition=Ready nodes -l "case=$namespace" --timeout=10s; }
eventually ready
# claims NAME GPUS [FLAG...]: a job that runs for an hour on this case's nodes.
claims() {
  "$KML" submit --name "$1" --gpus "$2" --image none --node-selector "case=$namespace" --toleration "case=$namespace:NoSchedule" \
    --set 'spec.template.metadata.annotations={"kwok/run-for": "1h"}' "${@:3}" -- train
}
verdict() { "$KML" why "$1" -o json | python3 -c 'import json, sys; cause = json.load(sys.stdin)["cause"]; print(cause["code"], cause["summary"])'; }
says() { [[ "$(verdict "$1")" = *"$2"* ]]; } # NAME TEXT
runs() { [ "$(k get pods -l "job-name=$1" -o 'jsonpath={.items[0].status.phase}')" = Running ]; }

expect 0 claims labels 'h100|a100:2' --no-check --set spec.suspend=true
contains "$err" '--gpus h100|a100 selects nodes by their labels: the cluster has no DeviceClass gpu.nvidia.com'
contains "$(k get job labels -o json)" '"NVIDIA-A100-SXM4-40GB"'

cluster devices "$namespace-1" 2 'NVIDIA A100-SXM4-40GB' 40Gi
cluster devices "$namespace-2" 1 'NVIDIA H100 80GB HBM3' 80Gi dra/unhealthy=xid
eventually k get deviceclass gpu.nvidia.com
expect 0 claims first 'h100|a100:2'
[[ "$err" != *labels* ]] || fail "labels: $err"
eventually runs first
[ "$("$KML" list first --no-headers | awk '{print $4}')" = 2 ] || fail "$("$KML" list first)"
[ "$("$KML" queue -o json | python3 -c 'import json, sys; print([job["gpus"] for job in json.load(sys.stdin) if job["name"] == "first"])')" = "[2]" ] || fail "$("$KML" queue)"
out=$("$KML" top nodes -o json)
python3 - "$namespace" "$out" <<'P'
import json, sys
of = {entry["node"]: entry for entry in json.loads(sys.argv[2])["nodes"] if entry["node"].startswith(sys.argv[1])}
one, two = of[sys.argv[1] + "-1"], of[sys.argv[1] + "-2"]
assert (one["type"], one["total"], one["used"]) == ("a100-40gb", 2, 2) and "first" in str(one), one
assert (two["type"], two["total"]) == ("h100", 1) and "dra/unhealthy=xid" in str(two), two
P

expect 0 claims second 'a100|h100:2'
eventually says second 'claim-pending no node can satisfy its resource claim'
says second '2 × a100: 2 of 2 are in use; 2 × h100: no node has more than 1' || fail "$(verdict second)"
expect 0 claims tainted '>=41Gi:1'
eventually says tainted 'device-tainted'
says tainted "taint dra/unhealthy=xid:NoSchedule on $namespace-2" || fail "$(verdict tainted)"
expect 0 claims large '>=41Gi:1' --set 'spec.template.spec.resourceClaims=[{"name": "own", "resourceClaimTemplateName": "nothing"}]'
eventually says large 'claim-pending its resource claim cannot be created'

# Once the first job is gone, the second one gets its devices. The templates are deleted with their jobs.
expect 0 "$KML" delete first --yes
eventually runs second
left() { [ "$(k get resourceclaimtemplates -o name | grep -c first-)" = 0 ]; }
eventually left
expect 0 "$KML" rerun second --name again
eventually says again 'claim-pending'
[[ "$(k get job again -o 'jsonpath={.spec.template.spec.resourceClaims[0].resourceClaimTemplateName}')" = again-* ]] || fail "the template of a rerun"

# Another --gpus replaces the claim of the first run.
template() { k get job "$1" -o 'jsonpath={.spec.template.spec.resourceClaims[*].resourceClaimTemplateName}'; }
expect 0 "$KML" rerun second --name fewer --gpus 1
contains "$err" '1 pod × 1 GPU'
[ "$(k get resourceclaimtemplate "$(template fewer)" -o 'jsonpath={.spec.spec.devices.requests[0].firstAvailable[*].count}')" = "1 1" ] || fail "the claim of fewer"
expect 0 "$KML" rerun second --name typed --gpus h100:1 --no-check
[ -z "$(template typed)" ] || fail "typed claims GPUs"
[[ "$err" != *'a100|h100'* ]] || fail "$err"
