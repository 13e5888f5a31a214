. "$(dirname "$0")/lib.sh"
test_only() { local want=$1; shift; expect "$want" "$KML" submit --test-only --name try "${on_node1[@]}" "$@" -- true; }
# Waits until all GPUs are free, because cases that have just ended may still hold some.
all_free() { "$KML" submit --test-only --name try "${on_node1[@]}" --gpus 4 -- true | grep -q "job try: starts now"; }
eventually all_free
test_only 1 --gpus 16
contains "$err" "is large enough: a pod asks for 16 GPUs, the largest node has 4 GPUs"
test_only 1 --priority urgent --service-account robot --mount pvc/data:/data
contains "$err" 'priorityclass "urgent" does not exist'
contains "$err" "serviceaccount \"robot\" does not exist in namespace $namespace"
contains "$err" 'persistentvolumeclaim "data" does not exist'

expect 0 "$KML" submit --name holder "${on_node1[@]}" --gpus 3 --grace 1s -- /bin/busybox sleep 1000
runs() { "$KML" list --no-headers | grep -q 'holder .*Running'; }
eventually runs
test_only 0 --gpus 2
contains "$out" "job try: would wait for 1 GPU held by holder"

# The quota is checked at admission, in the same way as later for the job's pods.
k create quota few --hard=requests.nvidia.com/gpu=3 >/dev/null
used() { [ "$(k get quota few -o 'jsonpath={.status.used.requests\.nvidia\.com/gpu}')" = 3 ]; }
eventually used
would_wait() { "$KML" submit --test-only --name try "${on_node1[@]}" --gpus 1 -- true | grep -q "would wait: quota few of namespace "; }
eventually would_wait

# A user who may only read cannot submit: exit code 4.
need_user viewer
k create rolebinding view --clusterrole view --serviceaccount "$namespace:viewer" >/dev/null
may viewer list pods
test_only 4 --context viewer
contains "$err" "you may not create jobs in namespace \"$namespace\""
expect 0 k get jobs -o name
[ "$out" = job.batch/holder ] || fail "a test made something: $out"
