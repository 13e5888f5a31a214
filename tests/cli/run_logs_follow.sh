# kml run logs -f: also follows steps that start later, until the run or the given step ends.
. "$(dirname "$0")/lib.sh"
mkdir project && cd project
cat >pipeline.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: later}
spec:
  params: {end: {type: string, default: "true"}}
  steps:
    first: {command: [sh, -c, 'echo line of first; until [ -e ../go1 ]; do sleep 0.05; done']}
    slow: {command: [sh, -c, 'until [ -e ../go3 ]; do sleep 0.05; done']}
    second:
      after: [first]
      foreach: {n: [1, 2]}
      command: [sh, -c, 'echo line ${item.n} of second; until [ -e ../go2 ]; do sleep 0.05; done']
    third: {after: [second], command: [sh, -c, 'echo line of third; ${params.end}']}
  onExit: {command: [sh, -c, 'echo line of the end']}
Y
first_runs() { "$KML" run status "$1" | grep -q "^first *running"; }
begin() { # begin NAME [FLAG...]: starts the run, and waits until its first step runs
  rm -f ../go*
  "$KML" run pipeline.yaml --no-cache --name "$@" >"../$1.run" 2>&1 &
  engine=$!
  eventually first_runs "$1"
}
has() { grep -q "$2" "$1"; }
ends_with() { # ends_with CODE PROCESS MESSAGES: checks the exit code
  local code=0
  wait "$2" || code=$?
  [ "$code" = "$1" ] || fail "exit $code, not $1: $(cat "$3")"
}

# A later step is followed while an earlier one still runs. `end` decides how the run ends.
while read -r name end want words; do
  begin "$name" -p end="$end"
  "$KML" run logs "$name" -f >"../$name.log" 2>"../$name.err" &
  follower=$!
  eventually has "../$name.log" "line of first"
  touch ../go1
  eventually has "../$name.log" "line 1 of second"
  eventually has "../$name.log" "line 2 of second"
  touch ../go2
  eventually has "../$name.log" "line of third"
  [ "$end" = false ] || kill -0 $follower || fail "$name: the follower ended before the run"
  touch ../go3
  ends_with "$want" $follower "../$name.err"
  contains "$(cat "../$name.log")" "line of the end"
  contains "$(cat "../$name.err")" "$words"
  wait $engine || true
done <<'ROWS'
good true 0 run good succeeded
bad false 3 run bad failed
ROWS

# A step that has not started is awaited; the command ends with that step, before the run.
begin step
"$KML" run logs step second -f >../step.log 2>../step.err &
follower=$!
"$KML" run logs step third -f >../third.log 2>../third.err &
third=$!
touch ../go1
eventually has ../step.log "line 2 of second"
touch ../go2
ends_with 0 $follower ../step.err
ends_with 0 $third ../third.err
expect 0 "$KML" run status step
contains "$out" "running"
[ "$(sed 's/.*| //' ../third.log)" = "line of third" ] || fail "more than the step's own log: $(cat ../third.log)"
! grep -q "of first\|of third" ../step.log || fail "logs of other steps: $(cat ../step.log)"

# Ctrl-C ends only the command.
"$KML" run logs step -f >../cut.log 2>../cut.err &
follower=$!
eventually has ../cut.log "line of third"
kill -INT $follower
ends_with 130 $follower ../cut.err
contains "$(cat ../cut.err)" "run step is still running; \`kml run logs -f step\` follows its logs again"

# If the engine dies, no further step will start.
"$KML" run logs step -f >../left.log 2>../left.err &
follower=$!
eventually has ../left.log "line of third"
kill -9 $engine
touch ../go3
ends_with 1 $follower ../left.err
contains "$(cat ../left.err)" '`kml run resume step` continues it'

expect 0 timeout 1000 "$KML" run resume step
expect 0 "$KML" run logs step -f
contains "$err" "run step succeeded"
