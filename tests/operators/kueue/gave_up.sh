. "$(dirname "$0")/lib.sh"
# An admission check rejects a job, and Kueue deactivates its Workload. `kml why` says so, and its remedy puts the job back
# into the queue, even after a user has activated the Workload. (Activating it does not help by itself.)
cluster kubectl apply -f - >/dev/null <<C
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: $namespace, labels: {case: $namespace}}
spec: {controllerName: example.com/tester}
C
trap 'status=$?; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true
  cluster kubectl delete clusterqueues,resourceflavors,admissionchecks -l "case=$namespace" --wait=false >/dev/null || true; finish $status' EXIT
status_of() { cluster kubectl -n "$namespace" patch "$1" --subresource=status --type=merge -p "$2" >/dev/null; }
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
status_of "admissioncheck/$namespace" '{"status": {"conditions": [{"type": "Active", "status": "True", "reason": "Ready", "message": "", "lastTransitionTime": "'"$now"'"}]}}'
queue lq 8 "admissionChecksStrategy: {admissionChecks: [{name: $namespace}]}"
answer() { # NAME STATE
  status_of "workload/$(workload "$1")" '{"status": {"admissionChecks": [{"name": "'"$namespace"'", "state": "'"$2"'", "message": "the tester says '"$2"'", "lastTransitionTime": "'"$now"'"}]}}'
}
holds_quota() { [ "$(k get workload "$(workload "$1")" -o 'jsonpath={.status.conditions[?(@.type=="QuotaReserved")].status}')" = True ]; }
job checked 4
eventually holds_quota checked
answer checked Rejected
given_up() { "$KML" why checked | grep -q "Kueue has deactivated it"; }
eventually given_up
expect 0 "$KML" why checked
contains "$out" "kml resume checked"
first=$(workload checked)
uid() { k get workload "$(workload checked)" -o 'jsonpath={.metadata.uid}'; }
before=$(uid)
k patch workload "$first" --type=merge -p '{"spec": {"active": true}}' >/dev/null
expect 0 "$KML" why checked
contains "$out" "Kueue has deactivated it"
expect 0 "$KML" resume checked
contains "$out" "job checked resumed"
is_new() { [ -n "$(workload checked)" ] && [ "$(uid)" != "$before" ]; }
eventually is_new
eventually holds_quota checked
answer checked Ready
eventually runs checked
