. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --dry-run --gpus 1 --env A=1 -- python train.py '[1,2]' --lr 0.1
[ "$err" = "kml: 1 pod × 1 GPU" ] || fail "$err"
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

# --hang-debug sets what PyTorch's flight recorder needs; a variable of --env takes precedence.
expect 0 "$KML" submit --dry-run --name d --hang-debug --env TORCH_NCCL_TRACE_BUFFER_SIZE=7 -- true
contains "$out" "TORCH_NCCL_DEBUG_INFO_PIPE_FILE"
contains "$(grep -A1 'name: TORCH_NCCL_TRACE_BUFFER_SIZE' <<<"$out")" 'value: "7"'
expect 0 "$KML" submit --dry-run --name d -- true
lacks() { case $1 in *"$2"*) fail "it has $2" ;; esac; }
lacks "$out" TORCH_NCCL

# The contents of Secrets are not printed, which kml says; a submit of what was printed would create them empty.
mkdir code
echo hello >code/a
for flags in "--secret TOKEN" "--code code"; do
  for dry_run in --dry-run "--dry-run=server -o yaml"; do
    TOKEN=x expect 0 "$KML" submit --name s $flags $dry_run -- true
    [[ $err =~ the\ contents\ of\ Secret\ kml-[a-z0-9-]+\ are\ not\ printed ]] || fail "$flags $dry_run: $err"
    printf '%s\n' "$out" >printed.yaml
    expect 2 "$KML" submit -f printed.yaml
    contains "$err" "the manifests lack the contents of Secret kml-"
    contains "$err" "without --dry-run"
  done
done
# A Secret of the user's own may be empty.
printf 'apiVersion: v1\nkind: Secret\nmetadata: {name: empty}\n' >own.yaml
expect 0 "$KML" submit -f own.yaml --dry-run
lacks "$err" "contents of"
