. "$(dirname "$0")/../lib.sh"
# Tests whoami, and objects that kubectl creates from flags and sends as protobuf.
expect 0 k create configmap map --from-literal=a=1 --from-literal=b=2
[ "$out" = "configmap/map created" ] || fail "$out"
expect 0 k get configmap map -o jsonpath='{.data}'
[ "$out" = '{"a":"1","b":"2"}' ] || fail "$out"
expect 1 k create configmap map --from-literal=a=1
contains "$err" 'configmaps "map" already exists'
printf 'binary\0\377' >file
expect 0 k create secret generic key --from-literal=token=x --from-file=file
expect 0 k get secret key -o jsonpath='{.type} {.data.token} {.data.file}'
[ "$out" = "Opaque eA== YmluYXJ5AP8=" ] || fail "$out"
expect 0 k create serviceaccount robot
expect 0 kubectl create namespace "$namespace-more"
expect 0 kubectl delete namespace "$namespace-more" --wait=false
expect 0 kubectl create priorityclass contract-made --value=7 --description=made --preemption-policy=Never
expect 0 kubectl get priorityclass contract-made -o jsonpath='{.value} {.globalDefault} {.preemptionPolicy}'
[ "$out" = "7  Never" ] || [ "$out" = "7 false Never" ] || fail "$out"
kubectl delete priorityclass contract-made >/dev/null
expect 0 k create quota small --hard=pods=20
expect 1 k create quota small2 --hard=bananas=2
contains "$err" 'spec.hard[bananas]: Invalid value: "bananas": must be a standard resource for quota'
expect 0 k delete quota small
expect 0 k create quota small --hard=pods=20,requests.nvidia.com/gpu=2,limits.memory=1Gi
k wait --for=jsonpath='{.status.hard.pods}'=20 quota/small --timeout=1000s >/dev/null
expect 0 k get quota small
matches "$out" $'^NAME +REQUEST +LIMIT +AGE\nsmall +pods: 0/20, requests.nvidia.com/gpu: 0/2 +limits.memory: 0/1Gi +[0-9ms]+$'
expect 0 k describe quota small
matches "$out" 'limits.memory +0 +1Gi'
expect 0 k delete quota small
expect 0 k create job made --image=localhost/busybox:1 -- sh -c 'echo made'
[ "$out" = "job.batch/made created" ] || fail "$out"
expect 0 k wait --for=condition=complete job/made --timeout=1000s
expect 0 k get job made -o jsonpath='{.spec.template.spec.containers[0].command}'
[ "$out" = '["sh","-c","echo made"]' ] || fail "$out"
expect 0 kubectl auth whoami
contains "$out" "system:authenticated"
expect 0 k auth can-i create jobs.batch
[ "$out" = yes ] || fail "$out"
expect 0 k auth can-i --list
contains "$out" "[*]"
