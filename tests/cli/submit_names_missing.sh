# If a job refers to an object that does not exist, kml says so before the job is created, with the nearest name and
# the existing ones.
. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 2 >/dev/null 2>&1
made() { expect 0 "$KML" list -o name; [ "$out" = "${1-}" ] || fail "made: $out"; }
cat >there.yaml <<'Y'
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: urgent}
value: 10
---
apiVersion: v1
kind: Secret
metadata: {name: hf-token}
Y
expect 0 "$KML" submit -f there.yaml

expect 1 "$KML" submit --priority urgnt -- true
contains "$err" 'priorityclass "urgnt" does not exist'
contains "$err" 'existing ones: urgent'
contains "$err" 'did you mean "urgent"? --no-check submits it anyway'
expect 1 "$KML" submit --env-from hf-tokn --pull-secret registry --mount pvc/data:/data --service-account robot -- true
contains "$err" 'secret "hf-tokn" does not exist in namespace default: '
contains "$err" 'did you mean "hf-token"?'
contains "$err" 'secret "registry" does not exist'
contains "$err" 'persistentvolumeclaim "data" does not exist'
contains "$err" 'serviceaccount "robot" does not exist'
"$KML" submit --name shown --env-from hf-tokn --dry-run -- true >job.yaml
expect 1 "$KML" submit -f job.yaml
contains "$err" 'secret "hf-tokn" does not exist'
expect 1 "$KML" submit -f job.yaml --dry-run=server
made

# Objects that the same submit creates are not reported as missing. --no-check skips the check.
KEY=value expect 0 "$KML" submit --name own --secret KEY --wait -- sh -c '[ "$KEY" = value ]'
sed 's/^kind: Secret/&\ndata: {}/; s/hf-token/hf-tokn/' there.yaml | sed -n '/^apiVersion: v1/,$p' >both.yaml
{ echo ---; cat job.yaml; } >>both.yaml
expect 0 "$KML" submit -f both.yaml
expect 0 "$KML" submit --name anyway --env-from other --no-check -- true
expect 2 "$KML" submit --test-only --no-check -- true
expect 1 "$KML" submit -n nowhere --env-from hf-token -- true
contains "$err" nowhere
[[ $err != *hf-token* ]] || fail "of a namespace that is not there: $err"
