# If a job waits for another one that then does not end as required, the job cannot start, and the commands
# below stop waiting for it. Other obstacles do not end a wait.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name first -- sh -c 'until [ -e go ]; do sleep 0.05; done; exit 1'
expect 0 "$KML" submit --name second --after first -- true
expect 0 "$KML" submit --name third --after second -- true
declare -A running
begin() { # NAME COMMAND...
  "${@:2}" >"$1.out" 2>"$1.err" &
  running[$1]=$!
}
begin end "$KML" wait second
begin run "$KML" wait second --for running
begin log "$KML" logs -f second
begin submit "$KML" submit --name another --after first --wait -- true
begin behind "$KML" wait third
is_there() { "$KML" list another --no-headers; }
eventually is_there
touch go
for name in end run log submit behind; do
  code=0
  wait "${running[$name]}" || code=$?
  [ $code = 3 ] || fail "$name: exit $code: $(cat $name.err)"
done
contains "$(cat end.err)" "job second cannot start: first failed"
contains "$(cat run.err)" "job second cannot start: first failed"
contains "$(cat log.err)" "job second cannot start: first failed"
contains "$(cat submit.err)" "job another cannot start: first failed"
contains "$(cat behind.err)" "job third cannot start: second cannot start"
contains "$(cat end.err)" "\`kml resume second\` starts it anyway"
# kml why still names the job whose failure blocks the others, and a user may start a blocked job anyway.
expect 0 "$KML" why third
contains "$out" "second cannot start: it should start once first has succeeded, but first failed"
contains "$out" "kml resume second"
expect 0 "$KML" resume second
expect 0 "$KML" wait second third
# A job that waits for room, or that is suspended, is waited for. After Ctrl-C, kml says what the job still does.
expect 0 "$KML" submit --name large --cpu 100000 --no-check -- true
expect 0 "$KML" submit --name asleep -- sleep 1000
expect 0 "$KML" suspend asleep
for job in large asleep; do
  expect 5 "$KML" wait $job --timeout 1s
  code=0
  "$KML" wait $job --notify "exec:true" >/dev/null 2>"$job.err" &
  pid=$!
  speaks() { grep -q . "$job.err"; }
  eventually speaks
  kill -INT $pid
  wait $pid || code=$?
  [ $code = 130 ] || fail "exit $code: $(cat $job.err)"
done
contains "$(cat large.err)" "the job still waits to start; \`kml why large\` says why"
contains "$(cat asleep.err)" "the job is still suspended; \`kml resume asleep\` starts it"
