. "$(dirname "$0")/lib.sh"
# A node stops answering while a job runs on it. Nothing can stop the job's pod, so no command says that the job is over.
node=$namespace-silent
drop_node() { cluster kubectl delete node "$node" --ignore-not-found "$@" >/dev/null; }
drop_node
trap 'status=$?; drop_node --wait=false || true; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
cluster kubectl create -f - >/dev/null <<C
apiVersion: v1
kind: Node
metadata: {name: $node, labels: {case: $namespace}}
C
# This test is the kubelet of the node and, later, the node controller.
reports() { # KIND NAME STATUS
  local now
  now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  k patch "$1" "$2" --subresource=status -p "{\"status\": $(sed "s/NOW/$now/g" <<<"$3")}" >/dev/null
}
reports node "$node" '{"conditions": [{"type": "Ready", "status": "True", "reason": "Up", "lastHeartbeatTime": "NOW", "lastTransitionTime": "NOW"}]}'
jobs="ended held gone"
for job in $jobs; do
  expect 0 "$KML" submit --no-check --name $job --image none --set "spec.template.spec.nodeName=$node" -- train
done
pod_of() { k get pods -l "job-name=$1" -o name; }
has_pod() { [ -n "$(pod_of "$1")" ]; }
for job in $jobs; do
  eventually has_pod $job
  reports pod "$(pod_of $job | cut -d/ -f2)" '{"phase": "Running", "startTime": "NOW", "conditions": [
    {"type": "Ready", "status": "True", "lastTransitionTime": "NOW"}, {"type": "ContainersReady", "status": "True", "lastTransitionTime": "NOW"}]}'
done
runs() { [ "$("$KML" list --no-headers | grep -c ' Running ')" = 3 ]; }
eventually runs

# What the node controller does once a node has been silent for a while.
reports node "$node" '{"conditions": [{"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown", "lastTransitionTime": "NOW"}]}'
for job in $jobs; do
  reports pod "$(pod_of $job | cut -d/ -f2)" '{"conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": "NOW"}]}'
done
is_lost() { "$KML" why "$1" -o json | grep -q '"code": "node-lost"'; }
for job in $jobs; do eventually is_lost $job; done
still="pod ended-[a-z0-9]+ may still run"
since="node $node has not answered since 20[^ ]*Z \([0-9ms]+\)"

expect 0 "$KML" cancel ended
[[ $out =~ job\ ended\ is\ being\ cancelled:\ $since:\ $still ]] || fail "$out"
expect 0 "$KML" cancel ended
[[ $out =~ job\ ended\ is\ already\ being\ cancelled:\ $since:\ $still ]] || fail "$out"
expect 0 "$KML" list --no-headers ended
[[ $out =~ Cancelling\ .*node\ $node\ does\ not\ answer:\ $still ]] || fail "$out"
expect 0 "$KML" status ended
[[ $out =~ Cancelling:\ node\ $node\ does\ not\ answer:\ $still ]] || fail "$out"
expect 0 "$KML" why ended
[[ $out =~ was\ cancelled\ at\ [^,]*,\ but\ $since:\ $still ]] || fail "$out"
expect 5 "$KML" wait ended --timeout 3s

expect 0 "$KML" suspend held
[[ $err =~ job\ held:\ $since:\ pod\ held-[a-z0-9]+\ may\ still\ run ]] || fail "$err"
expect 0 "$KML" list --no-headers held
[[ $out =~ Suspended\ .*node\ $node\ does\ not\ answer ]] || fail "$out"
expect 0 "$KML" delete gone
[[ $err =~ job\ gone:\ $since:\ pod\ gone-[a-z0-9]+\ may\ still\ run ]] || fail "$err"

# Once the node has been removed from the cluster, its pods are gone.
drop_node
expect 3 "$KML" wait ended --timeout 1000s
is_cancelled() { "$KML" list --no-headers ended | grep -q ' Cancelled '; }
eventually is_cancelled
