. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cluster/cases/why_lib.sh"
# kml why: pods that the server rejects because of quotas, limits or accounts, even after the events about this have
# expired.
submit() { expect 0 "$KML" submit --no-check --name "$1" "${on_node1[@]}" --grace 1s "${@:2}" -- /bin/busybox sleep 1000; }
submit holder --gpus 2
runs holder
k create quota few --hard=requests.nvidia.com/gpu=3 >/dev/null
counted() { [ "$(k get quota few -o 'jsonpath={.status.used.requests\.nvidia\.com/gpu}')" = 2 ]; }
eventually counted
refuses_pod 'resources: {limits: {nvidia.com/gpu: "2"}}' "exceeded quota: few"

submit full --gpus 2
says full quota "quota few of namespace $namespace is used up: 2 of 3 GPUs in use, 1 more needed"
contains "$(cat "$work/screen")" "held by   holder"
contains "$(cat "$work/screen")" "kml cancel holder"
# The scheduler has no pod of this job, so it has no position.
refused() { "$KML" queue --no-headers | grep -Eq '^- +full .* Waiting .*see `kml why full`'; }
eventually refused
submit large --gpus 4
says large quota-too-small "asks for 4 GPUs per pod, but quota few of namespace $namespace allows 3 GPUs in total"

# Events report the cause; without them, kml reads the quota itself.
k delete events --all >/dev/null
k patch job full --type=merge -p '{"spec": {"suspend": true}}' >/dev/null
k delete events --all >/dev/null
k patch job full --type=merge -p '{"spec": {"suspend": false}}' >/dev/null
says full quota "1 more needed"

remedy full "kml cancel"
runs full
eventually counted  # the quota controller may be late
k delete events --all >/dev/null  # an event may be from the moment before the quota counted both jobs
needed=$(why large -o json | sed -n 's/.*administrator to raise quota few to requests.nvidia.com\/gpu: \([0-9]*\)".*/\1/p')
k patch resourcequota few -p "{\"spec\":{\"hard\":{\"requests.nvidia.com/gpu\":\"$needed\"}}}" >/dev/null
says large resources-held "needs 2 GPUs more"
expect 0 "$KML" delete large full

submit nobody --service-account robot
says nobody service-account-missing "service account robot does not exist"
remedy nobody "echo '{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\",\"metadata\":{\"name\":\"robot\"}}'"
runs nobody
k delete quota few >/dev/null
k create quota strict --hard=limits.cpu=10 >/dev/null
refuses_pod 'resources: {}' "failed quota: strict"
submit unset
says unset quota-wants-limits "limits.cpu"
k delete quota strict >/dev/null
k create -f - >/dev/null <<'C'
apiVersion: v1
kind: LimitRange
metadata: {name: small}
spec: {limits: [{type: Container, max: {cpu: 100m}}]}
C
refuses_pod 'resources: {limits: {cpu: "1"}}' "maximum cpu usage per Container is 100m"
submit greedy --cpu 1
says greedy limit-range

# A submit that checks the job says at once that the job will lack pods.
expect 0 "$KML" submit --name warned "${on_node1[@]}" --cpu 1 -- /bin/busybox true
contains "$err" "job warned cannot get all of its pods: a limit range of namespace $namespace rejects its pods: maximum cpu usage per Container is 100m, but limit is 1"
expect 0 "$KML" submit --name small "${on_node1[@]}" --cpu 100m -- /bin/busybox true
[[ $err != *"all of its pods"* ]] || fail "$err"
