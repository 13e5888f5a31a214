# kill -9 of kml run at random moments, then the same command again: no step is lost, and none runs twice.
. "$(dirname "$0")/lib.sh"
echo 1 >code
{
  echo 'apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: killed}
spec:
  defaults: {code: {paths: [code]}}
  steps:'
  for i in 1 2 3 4 5 6 7 8; do
    # The pipeline has two independent chains of steps.
    input='' read=''
    [ $i -le 2 ] || input="inputs: {before: s$((i - 2)).file}" read='${in.before}'
    cat <<Y
    s$i:
      $input
      command: [sh, -c, 'echo s$i >>ran; sleep 0.0$i; cat \$1 >"\$0"; echo s$i >>"\$0"', "\${out.file}", "$read"]
      outputs: {file: file}
Y
  done
} >p.yaml
expect 0 "$KML" local up
export SEED=${SEED:-$RANDOM}
RANDOM=$SEED
kills=0
for round in 1 2 3; do
  echo "$round" >code
  : >ran
  for try in 1 2 3 4 5 6 7 8; do
    "$KML" run p.yaml >out.$try 2>err.$try &
    engine=$!
    sleep "0.0$((RANDOM % 90 + 10))"
    { kill -9 $engine && kills=$((kills + 1)); wait $engine; } 2>/dev/null || true
    ! grep -q succeeded err.$try || break
  done
  grep -q succeeded err.$try || expect 0 "$KML" run p.yaml
  [ "$(sort ran | tr '\n' ' ')" = "s1 s2 s3 s4 s5 s6 s7 s8 " ] || fail "seed $SEED round $round: ran $(sort ran | tr '\n' ' ')"
done
[ $kills -gt 5 ] || fail "killed only $kills times"
expect 0 "$KML" run list -o json
[ "$(grep -c '"state": "succeeded"' "$work/out")" = 3 ] || fail "not three runs: $out"
# The steps' outputs are correct.
for run in $("$KML" run list -o name); do
  file=$(find "$XDG_STATE_HOME/kml/artifacts/data/$run/s8" -name file)
  [ "$(tr '\n' ' ' <"$file")" = "s2 s4 s6 s8 " ] || fail "$run: s8 made $(cat "$file")"
done
