# A job that this machine can never run is not created, except with --no-check.
. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 2 >/dev/null 2>&1
expect 1 "$KML" submit --name big --gpus 8 -- true
contains "$err" "job big cannot run"
contains "$err" "a pod asks for 8 GPUs, the largest node has 2 GPUs"
contains "$err" "--no-check submits it anyway"
expect 1 "$KML" submit --name cores --cpu 100000 -- true
contains "$err" "job cores cannot run"
expect 1 "$KML" submit --name gang --nodes 3 --gpus 1 -- true
expect 1 "$KML" submit --name wide --nodes 20000 -- true
contains "$err" "19890 of its pods would not fit"
expect 0 "$KML" list -o name
[ -z "$out" ] || fail "made: $out"
expect 0 "$KML" submit --name fits --gpus 2 --wait -- true
expect 0 "$KML" submit --name array --array 0-3%4 --gpus 1 --wait -- true
expect 0 "$KML" submit --name big --gpus 8 --no-check -- true
expect 0 "$KML" why big
contains "$out" "a pod asks for 8 GPUs"
expect 0 "$KML" submit --test-only --name other --array 0-3%4 --gpus 1 -- true
contains "$out" "job other: starts now with 2 of its 4 pods"
# There is only one verdict: a job that can never run cannot start now either.
expect 1 "$KML" submit --test-only --gpus 8 -- true
[ -z "$out" ] || fail "$out"
expect 1 "$KML" submit --test-only --gpus 1 --priority none -- true
[ -z "$out" ] || fail "two verdicts: $out"
# With --no-check, the job is created, and the server still answers other requests.
expect 0 "$KML" submit --name wide --nodes 20000 --no-check -- true
expect 0 timeout 1000 "$KML" list
contains "$out" "0/20000"
expect 0 timeout 1000 "$KML" local down
