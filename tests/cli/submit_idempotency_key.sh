. "$(dirname "$0")/lib.sh"
submit() { "$KML" submit --idempotency-key nightly-7 -o name "$@"; }
expect 0 submit -- sh -c 'echo ran >>ran'
first=$out
expect 0 submit --wait -- sh -c 'echo ran >>ran'
[ "$out" = "$first" ] || fail "$out is not $first"
contains "$err" "was created with key nightly-7"
expect 0 submit --name other -- sh -c 'echo ran >>ran'
[ "$out" = "$first" ] || fail "$out is not $first"
[ "$("$KML" list -o name)" = "$first" ] || fail "a second job"
[ "$(cat ran)" = ran ] || fail "ran twice"

expect 2 submit -- sh -c 'echo ran >>run'
contains "$err" "--idempotency-key nightly-7 was used for another job, ${first#*/}"
contains "$err" 'command[2] is "echo ran >>run" now, but was "echo ran >>ran"'
expect 2 submit --priority low -- sh -c 'echo ran >>ran'
contains "$err" 'priorityClassName is "low" now, but was not set'

# Runs several submits at the same time.
for i in 1 2 3 4 5 6; do "$KML" submit --idempotency-key at-once -o name -- true >at-once.$i 2>&1 & done
wait
[ "$("$KML" list -l kml.dev/idempotency-key=at-once -o name | wc -l)" = 1 ] || fail "$(cat at-once.*)"

# An interrupted submit is completed.
for n in a b c; do
  echo "{apiVersion: batch/v1, kind: Job, metadata: {name: $n}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, command: [\"true\"]}]}}}}"
  echo ---
done >three.yaml
expect 0 "$KML" submit -f three.yaml --idempotency-key three
expect 0 "$KML" delete b
expect 0 "$KML" submit -f three.yaml --idempotency-key three
contains "$out" "job a submitted earlier"
contains "$out" "job b submitted"
[[ "$out" != *"job b submitted earlier"* ]] || fail "$out"
expect 2 "$KML" submit --idempotency-key 'a b' -- true
contains "$err" "cannot be an idempotency key"

# The Secret that a submit creates has a different name each time.
export API_KEY=x
for i in 1 2; do expect 0 "$KML" submit --idempotency-key secret --secret API_KEY -o name -- true; done
contains "$err" "was created with key secret"
