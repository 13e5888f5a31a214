. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --dry-run --gpus 1 --env A=1 -- python train.py '[1,2]' --lr 0.1
[ -z "$err" ] || fail "$err"
contains "$out" 'nvidia.com/gpu'
contains "$out" '"[1,2]"'
contains "$out" 'name: train-'
expect 0 "$KML" submit --dry-run -o json -- python train.py
python3 -c 'import json,sys; assert json.load(sys.stdin)["kind"] == "Job"' <<<"$out"
expect 0 "$KML" local status
contains "$out" "not running"
expect 0 "$KML" submit --dry-run=server --name checked -- true
contains "$out" "job checked would be accepted"
expect 0 "$KML" list -o name
[ -z "$out" ] || fail "a dry run made $out"
