. "$(dirname "$0")/lib.sh"
# refused WANTED ARGUMENTS...: the exit code is 2, the message contains WANTED, and nothing was started.
refused() {
  local wanted=$1
  shift
  expect 2 "$KML" "$@"
  contains "$err" "$wanted"
  [ -z "$out" ] || fail "printed: $out"
}
refused 'did you mean "submit"' sumbit
refused 'did you mean "kubeconfig"' local kubeconfg
refused 'did you mean "--follow"' logs --folow x
refused 'did you mean "--gpus"' submit --gpu 1 -- true
refused 'did you mean "job"' submit -t jop -- true
refused 'whole' submit --gpus 0.5 -- true
refused 'invalid value "many" for --tail' logs --tail many x
refused 'invalid value "soon" for --timeout' wait --timeout soon x
refused 'did you mean "json"' list -o jsn
refused 'follows "--"' submit true
refused 'no command' submit
refused 'JOB is missing' status
refused 'JOB is missing' cancel
refused 'JOB cannot be used with a flag that selects jobs' delete --all x
refused '-t cannot be used with -f' submit -t job -f x.yaml
refused 'needs --wait' submit --timeout 1m -- true
refused 'no context "nowhere"' list --context nowhere
expect 2 "$KML" list --foo -o json
python3 -c 'import json,sys; assert json.load(sys.stdin)["error"]["code"] == 2' <<<"$err"
export KUBECONFIG=$work/missing
expect 2 "$KML" list
contains "$err" "$work/missing"
unset KUBECONFIG
echo '{' >broken.yaml
refused 'broken.yaml:' submit -f broken.yaml
expect 0 "$KML" local status
contains "$out" "not running"
