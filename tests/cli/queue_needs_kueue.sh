. "$(dirname "$0")/lib.sh"
"$KML" local kubeconfig | sed 's/name: local$/name: prod/; s/\(cluster\|context\|current-context\): local$/\1: prod/' >cluster
export KUBECONFIG=$work/cluster
expect 2 "$KML" --context prod submit --queue gpus --image i:1 -- true
contains "$err" "the cluster has no Kueue"
expect 0 "$KML" --context prod list -o name
[ -z "$out" ] || fail "$out"

# A job that waits in a queue of Kueue: no command says that it waits its turn there.
cat >held.yaml <<'Y'
apiVersion: batch/v1
kind: Job
metadata: {name: held, labels: {kueue.x-k8s.io/queue-name: gpus}}
spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: a, image: a, command: ["true"]}]}}}
Y
there() { "$KML" --context prod "$@"; }
expect 0 there submit -f held.yaml --no-check
for command in "list held" "status held" "why held" "logs held"; do
  expect 0 there $command
  [[ $out$err == *"no Kueue"* ]] || fail "$command: $out$err"
  [[ $out$err != *"waits in queue"* ]] || fail "$command: $out$err"
done
for command in "wait held" "logs -f held"; do
  "$KML" --context prod $command >said 2>&1 &
  follower=$!
  says_so() { grep -q "held waits: no Kueue for queue gpus" said; }
  eventually says_so
  kill "$follower"
  wait "$follower" || true
  [[ $(cat said) != *"waits in queue"* ]] || fail "$command: $(cat said)"
done
