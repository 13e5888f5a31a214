. "$(dirname "$0")/lib.sh"
# A pod with the labels of a served model does not belong to the model: kml neither runs commands in it nor shows its
# lines.
kml() { timeout 1000 "$KML" "$@"; }
expect 0 kml serve model --ready / --env WHO=own --chdir "$work" -- sh -c 'echo own line; exec python3 -m http.server --bind 127.0.0.1 $PORT'
cat >stranger.yaml <<'Y'
apiVersion: v1
kind: Pod
metadata: {name: model-0-stranger, labels: {kml.dev/serve: model}}
spec:
  restartPolicy: Never
  containers:
  - name: main
    image: none
    env: [{name: WHO, value: stranger}]
    command: [sh, -c, 'echo stolen line; sleep 1000']
Y
expect 0 kml submit -f stranger.yaml
eventually grep -rq "stolen line" "$XDG_STATE_HOME/kml"
for try in 1 2; do
  expect 0 kml exec model -- sh -c 'echo $WHO'
  [ "$out" = own ] || fail "entered $out"
done
expect 0 kml exec model --all-ranks -- sh -c 'echo $WHO'
[[ $out != *stranger* ]] || fail "all ranks: $out"
expect 1 kml exec model/stranger -- true
expect 0 kml serve logs model
contains "$out" "own line"
[[ $out != *stolen* ]] || fail "logs: $out"
