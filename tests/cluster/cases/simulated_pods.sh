. "$(dirname "$0")/lib.sh"
# job NAME EXIT-CODE
job() {
  k create -f - >/dev/null <<C
apiVersion: batch/v1
kind: Job
metadata: {name: $1}
spec:
  backoffLimit: 0
  template:
    metadata: {annotations: {kwok/run-for: 200ms, kwok/exit-code: "$2"}}
    spec:
      restartPolicy: Never
      nodeSelector: {type: kwok}
      containers: [{name: main, image: none, resources: {limits: {nvidia.com/gpu: 2}}}]
C
}
job good 0
job bad 3
expect 0 k wait --for=condition=Complete job/good --timeout=1000s
expect 0 k wait --for=condition=Failed job/bad --timeout=1000s
expect 0 k get pod -l job-name=bad -o 'jsonpath={.items[0].status.containerStatuses[0].state.terminated.exitCode}'
[ "$out" = 3 ] || fail "exit code $out"
