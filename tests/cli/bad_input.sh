. "$(dirname "$0")/lib.sh"
# refused WANTED ARGUMENTS...: checks that the exit code is 2, that the message contains WANTED, and that nothing was
# printed on standard output.
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
# If a file does not exist, kml names the file with the nearest name, or the first missing folder.
echo x >pipeline.yaml
mkdir folder
for command in "run pipelin.yaml" "submit -f pipelin.yaml" "sweep run -f pipelin.yaml" "submit -t ./pipelin.yaml -- true" \
  "template show ./pipelin.yaml" "template check ./pipelin.yaml" "trust pipelin.yaml" "artifact put a=pipelin.yaml" \
  "sweep run x --warm-start ./pipelin.yaml --param a=1,2 --maximize m -- true" "submit --input a=./pipelin.yaml -- cat \${in.a}" \
  "serve x --input a=./pipelin.yaml -- cat \${in.a}"; do
  run_status=0
  "$KML" $command >out 2>err || run_status=$?
  [ "$run_status" != 0 ] || fail "$command: succeeded"
  contains "$(<err)" 'fix: did you mean "pipeline.yaml"?'
done
for command in "submit --code foldr -- true" "sync foldr x:/y" "submit --chdir foldr -- true" "submit --mount ./foldr:/x -- true" \
  "trust foldr"; do
  "$KML" $command >out 2>err && fail "$command: succeeded"
  contains "$(<err)" 'fix: did you mean "folder"?'
done
expect 1 "$KML" run "$work/gone/deeper/pipeline.yaml"
contains "$err" "check the path: $work does not contain gone"
