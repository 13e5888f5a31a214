. "$(dirname "$0")/lib.sh"
# Tests kml list KIND, as an administrator and as a user who may list almost nothing.
trap 'status=$?; cluster kubectl delete priorityclass "$namespace" --ignore-not-found >/dev/null || true; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
k apply -f - >/dev/null <<C
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: $namespace}
value: 1000
preemptionPolicy: Never
---
apiVersion: v1
kind: LimitRange
metadata: {name: small}
spec: {limits: [{type: Container, max: {cpu: "4"}, default: {cpu: "1"}}]}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: few}
spec: {hard: {requests.cpu: "8"}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {storageClassName: none, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Secret
metadata: {name: token}
stringData: {KEY: hidden}
C
expect 0 "$KML" list pc
[[ $out =~ $namespace\ +1000\ +no\ +no ]] || fail "$out"
expect 0 "$KML" list namespaces
[[ $out =~ $namespace\ +Active ]] || fail "$out"
expect 0 "$KML" list limits
[[ $out =~ small\ +Container\ +cpu\ +-\ +4 ]] || fail "$out"
granted() { "$KML" list quotas | grep -Eq 'few +requests.cpu +0 +8'; }
eventually granted
told() { "$KML" list claims | grep -Eq 'data +Pending +1Gi +RWO +none .*"none" not found'; }
eventually told
expect 0 "$KML" list secrets -o json
[[ "$out" == *KEY* && "$out" != *"$(printf hidden | base64)"* ]] || fail "$out"
expect 0 "$KML" list sa -o name
contains "$out" serviceaccount/default
expect 0 "$KML" list nodes -o json

need_user ana
for kind in priorityclasses namespaces nodes persistentvolumeclaims resourcequotas limitranges secrets; do
  expect 4 "$KML" --context ana list $kind
  contains "$err" "$kind"
done

# If the cluster does not measure a value, kml says so and does not invent one.
expect 0 "$KML" submit --name waits --image localhost/busybox:1 --node-selector no=where --no-check -- true
expect 0 "$KML" eff waits
contains "$out" "no pod has started"
expect 0 "$KML" cancel waits
