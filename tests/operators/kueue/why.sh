. "$(dirname "$0")/lib.sh"
# Kueue does what `kml why` and `--test-only` have predicted.
queue lq 8
why_says() { "$KML" why "$1" | grep -q "$2"; }
test_only() { # CODE TEXT GPUS
  expect "$1" "$KML" submit --test-only --name t --queue lq --gpus "$3" --image localhost/busybox:1 --node-selector type=kwok -- train
  contains "$out$err" "$2"
}
test_only 0 "job t: starts now" 8
test_only 1 "never has more than 8 GPUs" 9
job a 6
eventually runs a
test_only 0 "would wait: queue lq is full: needs 2 GPUs of flavor $namespace more" 4
job b 4
eventually why_says b "queue lq is full: needs 2 GPUs of flavor $namespace more; 2 of 8 are free"
job c 4
eventually why_says c "number 2 of 2"
! "$KML" why c | grep -q 'kml cancel' || fail "b would start instead: $("$KML" why c)"
eventually why_says b 'kml cancel a'
expect 0 "$KML" cancel a
eventually runs b
eventually runs c
expect 0 "$KML" cancel b c
eventually has_no_pods b
k patch localqueue lq --type=merge -p '{"spec": {"stopPolicy": "Hold"}}' >/dev/null
test_only 0 "its stopPolicy is Hold" 1
job d 1
eventually why_says d "stopPolicy of LocalQueue lq must be None"
k patch localqueue lq --type=merge -p '{"spec": {"stopPolicy": "None"}}' >/dev/null
eventually runs d

# A Kueue priority class gives a job its priority.
cluster kubectl apply -f - >/dev/null <<C
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: high-$namespace, labels: {case: $namespace}}
value: 1000
C
job e 8
job f 8 --priority high-$namespace
has_priority() { [ "$(k get workload "$(workload f)" -o 'jsonpath={.spec.priority}')" = 1000 ] && "$KML" queue --no-headers | grep f | grep -q 1000; }
eventually has_priority
expect 0 "$KML" cancel d
eventually runs f

