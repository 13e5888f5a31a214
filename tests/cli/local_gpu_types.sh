. "$(dirname "$0")/lib.sh"
# GPUs of a type, and slices of GPUs (MIG), can be requested and are counted by type: by the node, --test-only and the
# queue.
up() { expect 0 "$KML" local down --force; expect 0 "$KML" local up --fake-gpus "$1"; }
up a100:1
expect 0 "$KML" submit --gpus a100:1 --wait -- true
expect 1 "$KML" submit --test-only --gpus h100:1 -- true
contains "$err" "cannot run"
expect 0 "$KML" submit --gpus h100:1 --name other --no-check -- true
wait_for() { "$KML" queue | grep -q "^[1-] .*$1"; }
eventually wait_for "other .*without the requested labels"
# Tables show the type that a job asks for.
expect 0 "$KML" submit --gpus 'h100|a100:1' --name choice -- sh -c 'exec sleep 1000'
expect 0 "$KML" list -o wide
contains "$(grep '^other ' <<<"$out")" " h100:1 "
contains "$(grep '^choice ' <<<"$out")" " h100|a100:1 "
expect 0 "$KML" list -o brief
python3 -c 'import json, sys; assert {j["name"]: j.get("gpuType") for j in json.load(sys.stdin) if j["name"] in ("other", "choice")} == {"other": "h100", "choice": "h100|a100"}' <<<"$out"
choice_runs() { "$KML" top jobs | grep -q '^choice .* h100|a100:1 '; }
eventually choice_runs
expect 0 "$KML" usage --by gpu
contains "$out" "a100 " # the type that it got
[[ "$out" != *'|'* ]] || fail "$out"
expect 0 "$KML" delete choice --yes

# A simulated GPU has the memory of its type.
up a100:1
expect 0 "$KML" submit --gpus '>=40Gi:1' --wait -- true
expect 1 "$KML" submit --gpus '>=41Gi:1' -- true
contains "$err" "40960 MiB"
# An amount of GPUs does not need a type, and its resource is not one.
expect 0 "$KML" submit --gpus nvidia.com/gpu:1 --wait -- true
# The node does not keep the type of an earlier server.
up 1
expect 1 "$KML" submit --gpus a100:1 -- true
expect 1 "$KML" submit --gpus '>=1Gi:1' -- true

up mig-1g.5gb:2
expect 0 "$KML" submit --test-only --gpus mig-1g.5gb:2 -- true
expect 1 "$KML" submit --test-only --gpus mig-1g.5gb:3 -- true
contains "$err" "3 nvidia.com/mig-1g.5gb, the largest node has 2 nvidia.com/mig-1g.5gb"
expect 1 "$KML" submit --test-only --gpus 1 -- true
expect 0 "$KML" submit --gpus mig-1g.5gb:2 --name slices -- sh -c 'echo has ${CUDA_VISIBLE_DEVICES-no} slots; exec sleep 1000'
expect 0 "$KML" submit --gpus mig-1g.5gb:1 --name late -- true
eventually wait_for "late .*not enough nvidia.com/mig-1g.5gb"
expect 0 "$KML" queue -o json
python3 -c 'import json, sys; assert {j["name"]: j["gpus"] for j in json.load(sys.stdin)} == {"slices": 2, "late": 1, "other": 1}' <<<"$out"

for bad in 'h100|a100:1' '>=40Gi:1' a1000:2 mig-1g.5gb : :2 a100: -1 x 99999 1.5; do
  expect 2 "$KML" local up --fake-gpus "$bad"
  contains "$err" "--fake-gpus $bad"
done
