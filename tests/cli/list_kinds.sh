# `kml list KIND` shows what users would otherwise need kubectl for.
. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 4 --node-label nvidia.com/gpu.product=Tesla-T4 >/dev/null
cat >objects.yaml <<'END'
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: urgent}
value: 1000
preemptionPolicy: Never
description: for deadlines
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: usual}
value: 10
globalDefault: true
---
apiVersion: v1
kind: Namespace
metadata: {name: lab}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: runs, namespace: default}
spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 10Gi}}}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: few, namespace: default}
spec: {hard: {requests.nvidia.com/gpu: "4", pods: "20"}}
---
apiVersion: v1
kind: Secret
metadata: {name: wandb, namespace: default}
stringData: {WANDB_API_KEY: hidden-value}
END
expect 0 "$KML" submit -f objects.yaml
expect 0 "$KML" submit --name holder --gpus 3 --mount pvc/runs:/runs -- sleep 1000
running() { "$KML" list --state running -o name | grep -q holder; }
eventually running

expect 0 "$KML" list priorityclasses --no-headers
[[ $out =~ urgent\ +1000\ +no\ +no\ .*for\ deadlines.*usual\ +10\ +yes\ +yes ]] || fail "$out"
expect 0 "$KML" list classes -o name
contains "$out" priorityclass.scheduling.k8s.io/urgent
expect 0 "$KML" list nodes --no-headers
[[ $out =~ t4\ +3/4\ +1\ .*ready ]] || fail "$out"
expect 0 "$KML" list no -o json
python3 -c 'import json,sys; assert json.load(sys.stdin)["items"][0]["kind"] == "Node"' <<<"$out"
expect 0 "$KML" list ns
[[ $out =~ lab\ +Active ]] || fail "$out"
expect 0 "$KML" list claims
[[ $out =~ runs\ +Bound\ +10Gi\ +RWX\ .*holder ]] || fail "$out"
expect 0 "$KML" list pvc -o custom-columns=N:.metadata.name --no-headers
[ "$out" = runs ] || fail "$out"
expect 0 "$KML" list persistentvolumeclaims -o 'jsonpath={.items[*].metadata.name}'
[ "$out" = runs ] || fail "$out"
granted() { "$KML" list quotas >quotas && grep -Eq 'few +requests.nvidia.com/gpu +3 +4' quotas; }
eventually granted
expect 0 "$KML" list secrets
[[ $out =~ wandb\ +Opaque\ .*WANDB_API_KEY ]] || fail "$out"
for format in json yaml; do
  expect 0 "$KML" list secrets -o $format
  contains "$out" WANDB_API_KEY
  [[ "$out" != *"$(printf hidden-value | base64)"* ]] || fail "a secret's value: $out"
done
# Without -A, only the objects of one namespace are listed.
expect 0 "$KML" list claims -n lab
contains "$err" "no claims in namespace lab"
expect 0 "$KML" list claims -A
[[ $out =~ default\ +runs ]] || fail "$out"
expect 1 "$KML" list queues
contains "$err" "found no Kueue or Volcano queues"

# Tests an unknown kind, and flags that only apply to jobs.
expect 0 "$KML" list jobs -o name
contains "$out" holder
expect 0 "$KML" list holder
contains "$out" holder
expect 1 "$KML" list clams
contains "$err" 'did you mean "claims"'
expect 2 "$KML" list nodes --state failed
contains "$err" "--state applies to jobs, not to nodes"
expect 0 "$KML" list --help
contains "$out" "priorityclasses"
expect 0 "$KML" __complete -- list pr
contains "$out" "priorityclasses"
