# With a full disk under the state folder, a command that must write there says what it could not write, why, and what
# to do. A command that fails at its start leaves nothing behind, and metrics that cannot be recorded are shown.
. "$(dirname "$0")/small_disk.sh"
# The embedded server is on another disk.
mkdir -p "$KML_STATE_DIR" "$work/local"
ln -s "$work/local" "$KML_STATE_DIR/local"
trap 'status=$?; rm -f "$SMALL/ballast"; finish $status' EXIT
printf '%s\n' 'apiVersion: kml.dev/v1' 'kind: Pipeline' 'metadata: {name: p}' 'spec:' '  steps:' \
  '    a: {command: [sh, -c, "echo x >$0", "${out.f}"], outputs: {f: file}}' | sed 's/\$0/$$0/' >p.yaml
expect 0 "$KML" submit --name one -- sh -c 'echo loss=0.5'
expect 0 "$KML" submit --name two -- sh -c 'echo loss=0.25'
ended() { [ "$("$KML" list --no-headers | grep -c Succeeded)" = 2 ]; }
eventually ended
cat /dev/zero >"$SMALL/ballast" 2>/dev/null || true

full() { # COMMAND...: fails because of the disk
  expect 1 "$@"
  contains "$err" "kml: error: cannot write $KML_STATE_DIR/"
  contains "$err" "why: No space left on device"
  contains "$err" "fix: free "
}
full "$KML" run p.yaml
contains "$err" "then run the command again"
[[ $err != *"run resume"* ]] || fail "$err"
full "$KML" sweep run s --param x=1,2 --maximize score --algorithm grid -- sh -c 'echo score={x}'
full "$KML" submit --name made --output x=x -- sh -c 'echo 1 >x'
full "$KML" trust p.yaml
full "$KML" logs one --keep
# The metrics were read, so they are shown, and one note says that they are not recorded.
expect 0 "$KML" runs --where 'loss < 1' --sort loss -o 'jsonpath={[*].name} {[*].metrics.loss.last}'
[ "$out" = "two one 0.25 0.5" ] || fail "$out"
[ "$(grep -c "could not be recorded: cannot write .*: No space left on device; free up space there" <<<"$err")" = 1 ] || fail "$err"
for command in "run list" "sweep list" "runs" "artifact list" "history"; do
  # shellcheck disable=SC2086
  expect 0 "$KML" $command
  [[ $err != *damaged* ]] || fail "$command: $err"
done

rm "$SMALL/ballast"
expect 0 "$KML" runs
[[ $err != *damaged* && $err != *recorded* && $out != *" made "* ]] || fail "$out$err"
expect 0 "$KML" run list -o name
[ -z "$out" ] || fail "$out"
expect 0 "$KML" run p.yaml
expect 0 "$KML" sweep run s --param x=1,2 --maximize score --algorithm grid -- sh -c 'echo score={x}'
expect 0 "$KML" submit --name made --output x=x -- sh -c 'echo 1 >x'
