. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 8 >/dev/null 2>&1
expect 0 "$KML" submit --test-only --name try --gpus 4 -- true
contains "$out" "job try: starts now"
expect 0 "$KML" submit --name holder --gpus 6 -- sleep 1000
runs() { "$KML" list --no-headers | grep -q 'holder .*Running'; }
eventually runs
expect 0 "$KML" submit --test-only --name try --gpus 4 -- true
contains "$out" "job try: would wait for 2 GPUs held by holder"
# --test-only gives the job the same place in the order as `kml why` does after the submit.
for name in second third; do
  expect 0 "$KML" submit --name $name --gpus 5 -- sleep 1000
  waits() { "$KML" why $name | grep -q 'held by .*holder'; }
  eventually waits
done
place="number 3 of the 3 jobs that wait for a node, after second, third"
has_place() { "$KML" submit --test-only --name try --gpus 4 -- true | grep -q "job try: would wait for 2 GPUs held by holder; $place"; }
eventually has_place # the scheduler must have looked at the pods of both
expect 0 "$KML" submit --name try --gpus 4 -- true
names_place() { "$KML" why try | grep -q "$place"; }
eventually names_place
expect 0 "$KML" delete --yes second third try
gone() { ! { "$KML" list --no-headers && "$KML" list pods --no-headers; } | grep -qE '(second|third|try)[- ]'; }
eventually gone
expect 1 "$KML" submit --test-only --name try --gpus 16 -- true
contains "$err" "cannot run: no current node is large enough: a pod asks for 16 GPUs, the largest node has 8 GPUs"
expect 1 "$KML" submit --test-only --name try --priority urgent --mount pvc/data:/data --env-from key -- true
contains "$err" 'priorityclass "urgent" does not exist'
contains "$err" 'persistentvolumeclaim "data" does not exist in namespace default'
contains "$err" 'secret "key" does not exist in namespace default'
expect 1 "$KML" submit --test-only -n nowhere -- true
contains "$err" nowhere
# Objects that the submit itself would create are not reported as missing. Nothing was created.
mkdir code && echo x >code/a
API_KEY=x expect 0 "$KML" submit --test-only --name try --secret API_KEY --code code -- true
"$KML" local kubeconfig >kubeconfig
expect 0 env KUBECONFIG="$work/kubeconfig" kubectl get jobs,secrets,pods -o name
[ "$(grep -vc holder <<<"$out" || true)" = 0 ] || fail "a test made something: $out"
expect 2 "$KML" submit --test-only --wait -- true
# A request that a quota can never allow is an obstacle. If the quota may allow the request later, the job
# waits. A suspended job does not start.
expect 0 "$KML" submit --test-only --name try --set spec.suspend=true -- true
contains "$out" "job try: is suspended; \`kml resume try\` starts it"
KUBECONFIG="$work/kubeconfig" kubectl create quota few --hard requests.nvidia.com/gpu=7 >/dev/null
expect 0 "$KML" submit --test-only --name try --gpus 2 -- true
contains "$out" "job try: would wait: quota few of namespace default is used up: 6 of 7 GPUs in use, 1 more needed"
contains "$out" "free enough by cancelling holder (priority 0): 6 GPUs: \`kml cancel holder\`"
[[ $out != *kml-* ]] || fail "$out"
expect 1 "$KML" submit --test-only --name try --gpus 8 -- true
contains "$err" "quota few of namespace default allows 7 GPUs in total"
