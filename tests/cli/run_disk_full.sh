# A full disk under a pipeline, for the journal or for the artifacts. kml says which disk is full and what to do,
# loses no finished work, and continues once there is space. No finished step runs again.
. "$(dirname "$0")/small_disk.sh"
export KML_STATE_DIR=$work/kml
mkdir -p "$KML_STATE_DIR" "$SMALL/runs" "$SMALL/artifacts"
trap 'status=$?; rm -f "$SMALL/ballast"; finish $status' EXIT
# The records of step three must not fit into the space that the journal reserves for its last lines (16 KiB).
many=$(for i in $(seq 4000); do echo "V$i: v,"; done)
cat >p.yaml <<Y
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: full}
spec:
  defaults: {code: {paths: [code]}}
  steps:
    one:
      command: [sh, -c, 'echo one >>ran; echo one >"\$0"', "\${out.file}"]
      outputs: {file: file}
    two:
      inputs: {file: one.file}
      command: [sh, -c, 'echo two >>ran; sed s/one/two/ "\$1" >"\$0"; until [ -e go ]; do sleep 0.05; done', "\${out.file}", "\${in.file}"]
      outputs: {file: file}
    three:
      inputs: {file: two.file}
      command: [sh, -c, 'echo three >>ran; cat "\$0" >got', "\${in.file}"]
      env: {${many%,}}
Y
# case_of FOLDER: the disk with that folder of the state folder is full when step two ends.
case_of() {
  ln -s "$SMALL/$1" "$KML_STATE_DIR/$1"
  echo "$1" >code
  rm -f go ran got
  "$KML" run p.yaml >out1 2>err1 &
  engine=$!
  begun() { grep -q two ran; }
  eventually begun
  cat /dev/zero >"$SMALL/ballast" 2>/dev/null || true
  touch go
  code=0
  wait $engine || code=$?
  run=$(sed -n 's/^kml: run \(full-[a-z0-9]*\)$/\1/p' err1)
}
case_of runs
[ $code = 1 ] || fail "exit $code: $(cat out1 err1)"
contains "$(cat err1)" "No space left on device"
contains "$(cat err1)" "kml run resume $run"
# The run can still be read, but not continued.
expect 0 "$KML" run status "$run"
expect 1 "$KML" run resume "$run"
contains "$err" "No space left on device"
expect 1 "$KML" run p.yaml
contains "$err" "No space left on device"
rm "$SMALL/ballast"
expect 0 "$KML" run resume "$run"
[ "$(tr '\n' ' ' <ran)" = "one two three " ] || fail "ran: $(tr '\n' ' ' <ran)"
[ "$(cat got)" = two ] || fail "three read: $(cat got)"
expect 0 "$KML" run list -o name
[ "$out" = "$run" ] || fail "other runs were left: $out"

rm "$KML_STATE_DIR/runs"
mv "$KML_STATE_DIR/artifacts" was
echo 2 >code
case_of artifacts
[ $code = 1 ] || fail "exit $code: $(cat out1 err1)"
contains "$(cat err1)" "No space left on device"
contains "$(cat err1)" "check that its disk has space (df -h"
contains "$(cat err1)" "kml run resume $run"
# The step has done its work and does not run again.
expect 1 "$KML" run resume "$run"
contains "$err" "No space left on device"
rm "$SMALL/ballast"
expect 0 "$KML" run p.yaml
contains "$err" "run $run was interrupted; continuing it"
[ "$(tr '\n' ' ' <ran)" = "one two three " ] || fail "ran: $(tr '\n' ' ' <ran)"

# A run that could not even start its first step can be continued.
echo 3 >code
cat /dev/zero >"$SMALL/ballast" 2>/dev/null || true
expect 1 "$KML" run p.yaml
contains "$err" "No space left on device"
rm "$SMALL/ballast"
expect 0 "$KML" run p.yaml
