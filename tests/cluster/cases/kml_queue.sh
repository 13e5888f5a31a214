. "$(dirname "$0")/lib.sh"
# --queue is refused without Kueue. With Kueue's definitions, jobs are created suspended and with its label, and run
# once they are admitted. Kueue itself is not running, so this test changes the jobs as Kueue would.
kueue() { cluster kubectl "$1" -f "$SOURCE/tests/cluster/kueue.yaml" "${@:2}" >/dev/null; }
trap 'status=$?; kueue delete --ignore-not-found; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
kueue delete --ignore-not-found
gone() { ! cluster kubectl get --raw /apis/kueue.x-k8s.io; }
eventually gone
expect 2 "$KML" submit --queue gpus "${on_node1[@]}" -- true
contains "$err" "the cluster has no Kueue"
expect 0 k get jobs -o name
[ -z "$out" ] || fail "made: $out"

kueue create
kueue wait --for=condition=Established --timeout=1000s
served() { k get localqueues,workloads; }
eventually served
expect 1 "$KML" submit --test-only --queue gpus "${on_node1[@]}" -- true
contains "$err" "localqueue \"gpus\" does not exist in namespace $namespace"
[[ $err != *deprecated* ]] || fail "asked for by an old version: $err"
k apply -f - >/dev/null <<'C'
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: gpus}
spec: {clusterQueue: all}
C
expect 0 "$KML" submit --test-only --queue gpus "${on_node1[@]}" -- true
contains "$out" "once queue gpus has admitted it"
expect 1 "$KML" submit --queue gpu "${on_node1[@]}" -- true
contains "$err" 'existing ones: gpus'
contains "$err" 'did you mean "gpus"?'

waits() { # KIND PATH: checks that it is in the queue, has no pods, and that kml reports this
  expect 0 k get "$1" "$1" -o "jsonpath={.metadata.labels.kueue\.x-k8s\.io/queue-name} {$2}"
  [ "$out" = "gpus true" ] || fail "$1: $out"
  listed() { "$KML" list --no-headers | grep -Eq "^(pytorchjob/)?$1 .*Suspended .*waits in queue gpus"; }
  eventually listed "$1"
  expect 0 k get pods -o name
  [ -z "$out" ] || fail "pods of a suspended job: $out"
}
expect 0 "$KML" submit --queue gpus --name job --image localhost/busybox:1 -- sh -c 'echo admitted'
waits job .spec.suspend
# Kueue adds the node selector of the flavor that it chose.
k patch job job --type=merge -p '{"spec": {"suspend": false, "template": {"spec": {"nodeSelector": {"kubernetes.io/hostname": "node1"}}}}}' >/dev/null
expect 0 "$KML" wait job --timeout 1000s
expect 0 "$KML" logs job
contains "$out" admitted
expect 0 "$KML" delete job
gone() { [ -z "$(k get pods -o name)" ]; }
eventually gone

expect 0 "$KML" submit -t pytorchjob --queue gpus --name pytorchjob --nodes 2 "${on_node1[@]}" -- sh -c :
suspended() { [ "$(k get pytorchjob pytorchjob -o 'jsonpath={.status.conditions[?(@.type=="Suspended")].status}')" = True ]; }
eventually suspended # until the operator has seen it
waits pytorchjob .spec.runPolicy.suspend
k patch pytorchjob pytorchjob --type=merge -p '{"spec": {"runPolicy": {"suspend": false}}}' >/dev/null
expect 0 "$KML" wait pytorchjob --timeout 1000s
