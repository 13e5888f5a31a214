. "$(dirname "$0")/../lib.sh"
# Tests apply, patch, label, annotate, edit by replace, dry runs, and rejections.
cat >map.yaml <<'C'
apiVersion: v1
kind: ConfigMap
metadata: {name: map, labels: {kept: "1"}}
data: {a: "1", b: "2"}
C
expect 0 k apply -f map.yaml
[ "$out" = "configmap/map created" ] || fail "$out"
expect 0 k apply -f map.yaml
[ "$out" = "configmap/map unchanged" ] || fail "$out"
sed -i 's/a: "1", b: "2"/a: "3", c: "4"/' map.yaml
expect 0 k apply -f map.yaml --dry-run=server
[ "$out" = "configmap/map configured (server dry run)" ] || fail "$out"
expect 0 k apply -f map.yaml
[ "$out" = "configmap/map configured" ] || fail "$out"
data() { k get configmap map -o jsonpath='{.data}'; }
[ "$(data)" = '{"a":"3","c":"4"}' ] || fail "applied: $(data)"
expect 0 k patch configmap map -p '{"data":{"a":null,"d":"5"}}'
[ "$(data)" = '{"c":"4","d":"5"}' ] || fail "strategic: $(data)"
expect 0 k patch configmap map --type=merge -p '{"data":{"d":"6"}}'
expect 0 k patch configmap map --type=json -p '[{"op":"test","path":"/data/d","value":"6"},{"op":"remove","path":"/data/d"}]'
[ "$(data)" = '{"c":"4"}' ] || fail "json patch: $(data)"
expect 1 k patch configmap map --type=json -p '[{"op":"test","path":"/data/c","value":"6"}]'
contains "$err" "The request is invalid"
expect 0 k label configmap map one=1
expect 0 k annotate configmap map two=2
expect 0 k get configmap map -o jsonpath='{.metadata.labels.kept}{.metadata.labels.one}{.metadata.annotations.two}'
[ "$out" = 112 ] || fail "$out"
k get configmap map -o json | sed 's/"4"/"7"/' >map.json
expect 0 k replace -f map.json
[ "$(data)" = '{"c":"7"}' ] || fail "replaced: $(data)"
expect 1 k replace -f map.json
contains "$err" 'Error from server (Conflict): error when replacing "map.json": Operation cannot be fulfilled on configmaps "map": the object has been modified; please apply your changes to the latest version and try again'

# A strategic merge patch merges lists of containers and environment by name.
job waits 'exit 0' | sed 's/backoffLimit: 0/suspend: true/' >waits.yaml
expect 0 k apply -f waits.yaml
[ "$out" = "job.batch/waits created" ] || fail "$out"
expect 0 k apply -f waits.yaml
[ "$out" = "job.batch/waits unchanged" ] || fail "$out"
sed -i 's/suspend: true/suspend: true, parallelism: 2/; s/  suspend: true, /  suspend: true\n  /' waits.yaml
expect 0 k apply -f waits.yaml
[ "$out" = "job.batch/waits configured" ] || fail "$out"
expect 0 k get job waits -o jsonpath='{.spec.parallelism}'
[ "$out" = 2 ] || fail "$out"
cat >pod.yaml <<'C'
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  nodeSelector: {nowhere: "yes"}
  containers:
  - {name: one, image: "localhost/busybox:1", command: [sh]}
  - {name: two, image: "localhost/busybox:1", command: [sh]}
C
k create -f pod.yaml >/dev/null
expect 0 k patch pod pod -p '{"spec":{"containers":[{"name":"two","image":"localhost/busybox:2"}]}}'
expect 0 k get pod pod -o jsonpath='{.spec.containers[*].name} {.spec.containers[*].image}'
[ "$out" = "one two localhost/busybox:1 localhost/busybox:2" ] || fail "$out"
expect 0 k delete pod pod --grace-period=0 --force

# Refusals.
sed 's/app: contract}}$/app: contract}, nmae: x}/; s/parallelism/paralelism/' waits.yaml | sed 's/name: waits/name: bad/' >bad.yaml
expect 1 k create -f bad.yaml
contains "$err" 'strict decoding error: unknown field "metadata.nmae", unknown field "spec.paralelism"'
expect 0 k create -f bad.yaml --validate=warn
contains "$err" 'Warning: unknown field "spec.paralelism"'
expect 1 k apply -f bad.yaml --dry-run=server
contains "$err" 'unknown field "spec.paralelism"'
sed 's/Never/Sometimes/' waits.yaml | sed 's/name: waits/name: bad2/' >bad.yaml
expect 1 k create -f bad.yaml
contains "$err" 'The Job "bad2" is invalid: '
contains "$err" 'spec.template.spec.restartPolicy: Unsupported value: "Sometimes": supported values: "OnFailure", "Never"'
expect 1 k scale job waits --replicas=3
expect 1 k patch job waits -p '{"spec":{"completions":7}}'
contains "$err" 'The Job "waits" is invalid: spec.completions: Invalid value: 7: field is immutable'
