# A run is stopped from outside, together with its running steps, and resumed. A step fails if its job is deleted, and
# can be retried. Finished steps are kept.
. "$(dirname "$0")/lib.sh"
: >code
cat >p.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: held}
spec:
  defaults: {code: {paths: [code]}}
  steps:
    one:
      command: [sh, -c, 'echo one >>ran; echo 1 >"$0"', "${out.number}"]
      outputs: {number: value}
    two:
      inputs: {number: one.number}
      command: [sh, -c, 'echo two >>ran; until [ -e go ]; do sleep 0.05; done; echo "$0" >got', "${in.number}"]
      grace: 1s
    three:
      after: [two]
      command: [sh, -c, 'echo three >>ran']
Y
started() { # starts a run and waits until its second step runs
  rm -f go
  "$KML" run "$@" >out1 2>err1 &
  engine=$!
  eventually eval "[ \"\$(grep -c two ran)\" = $twos ]"
}
ended() { # CODE
  code=0
  wait $engine || code=$?
  [ $code = "$1" ] || fail "exit $code, not $1: $(cat out1 err1)"
}
no_jobs_run() {
  expect 0 "$KML" list
  [[ "$out" != *Running* ]] || fail "$out"
}
twos=1
started p.yaml
run=$(sed -n 's/^kml: run \(held-[a-z0-9]*\)$/\1/p' err1)
expect 0 "$KML" run stop "$run"
ended 3
contains "$(cat err1)" "run $run stopped"
no_jobs_run
expect 0 "$KML" run status "$run"
contains "$out" "cancelled"
# A stopped run is continued on request.
twos=2
started resume "$run"
expect 0 "$KML" run status "$run"
contains "$out" "running"
# Deletes the job of a step.
job=$("$KML" list -o name | grep -e "-two" | grep -v "/$run-two$" | head -1)
expect 0 "$KML" delete "${job#*/}" --yes
ended 3
contains "$(cat out1)" "its job was deleted"
expect 0 "$KML" run status "$run"
contains "$out" "failed"
# The engine is killed, then the run is stopped: the command `run stop` itself stops the jobs.
twos=3
started resume "$run"
kill -9 $engine
wait $engine || true
expect 0 "$KML" run list
contains "$out" "interrupted"
expect 0 "$KML" run stop "$run"
contains "$err" "run $run stopped"
no_jobs_run
touch go
expect 0 "$KML" run resume "$run"
[ "$(tr '\n' ' ' <ran)" = "one two two two two three " ] || fail "ran: $(tr '\n' ' ' <ran)"
[ "$(cat got)" = 1 ] || fail "got $(cat got)"
expect 0 "$KML" run resume "$run"
contains "$err" "already ended: succeeded"
expect 0 "$KML" run stop "$run"
contains "$err" "already ended: succeeded"
# After Ctrl-C, kml says how to continue, and the steps keep running.
echo 2 >code
twos=5
started p.yaml
kill -INT $engine
ended 130
run=$(sed -n 's/^kml: run \(held-[a-z0-9]*\)$/\1/p' err1)
contains "$(cat err1)" "kml run resume $run"
touch go
expect 0 "$KML" run p.yaml
contains "$err" "run $run was interrupted; continuing it"
[ "$(grep -c two ran)" = 5 ] || fail "ran: $(tr '\n' ' ' <ran)"
# After deletion, the run and its files are gone.
expect 0 "$KML" run delete "$run"
expect 2 "$KML" run status "$run"
contains "$err" "no run \"$run\""
[ ! -e "$XDG_STATE_HOME/kml/artifacts/data/$run" ] || fail "its files are there"
