# Tests kml-step, alone and as the first process of a container. Its exit codes and signals are those of its command, it
# reaps orphans, and it needs neither a shell nor a libc.
. "$(dirname "$0")/lib.sh"
step=$(dirname "$KML")/kml-step
expect 0 "$step" -- true
expect 7 "$step" -- sh -c 'exit 7'
expect 127 "$step" -- /no/such/program
contains "$err" "kml-step: cannot run /no/such/program: No such file or directory"
touch plain
expect 126 "$step" -- ./plain
contains "$err" "Permission denied"
expect 125 "$step" --output file
contains "$err" "the last argument is missing"

# If possible, kml-step dies by the same signal as the command.
expect 143 "$step" -- sh -c 'kill -TERM $$'
python3 - "$step" <<'P' || fail "it does not end by the signal"
import subprocess, sys
assert subprocess.run([sys.argv[1], "--", "sh", "-c", "kill -9 $$"]).returncode == -9
P

# kml-step passes on each signal once.
"$step" -- sh -c 'trap "echo got USR1" USR1; trap "echo got TERM; exit 5" TERM; echo up; while :; do sleep 0.05; done' >log &
pid=$!
eventually grep -q up log
kill -USR1 $pid
eventually grep -q "got USR1" log
kill -TERM $pid
got=0
wait $pid || got=$?
[ "$got" = 5 ] || fail "exit $got, not 5"
[ "$(grep -c got log)" = 2 ] || fail "signals came more than once: $(cat log)"

# Tests kml-step as in a container: it is the first process, with no other files.
if unshare -rpf --mount-proc true 2>/dev/null; then
  first() { unshare -rpf --mount-proc "$@"; }
  expect 3 first "$step" -- sh -c 'exit 3'
  expect 137 first "$step" -- sh -c 'kill -KILL $$'
  # kml-step adopts orphans, and none remains a zombie.
  expect 0 first "$step" -- sh -c '
    for i in 1 2 3 4 5; do (sh -c "sleep 0.01 & exit 0" &) ; done
    for try in $(seq 200); do
      grep -q "(sleep)\|) Z " /proc/[0-9]*/stat 2>/dev/null || exit 0
      sleep 0.05
    done
    cat /proc/[0-9]*/stat; exit 1'
  # Processes that are still running when the command ends are killed, so that they cannot change the outputs.
  expect 0 first timeout 1000 "$step" --output value v "$work/v" -- sh -c "echo 1 >$work/v; (while :; do date >>$work/more; done) & exit 0"
  mkdir -p image/kml
  cp "$step" image/kml/
  expect 127 unshare -r chroot image /kml/kml-step -- /kml/kml-step -- /no-shell
  contains "$err" "kml-step: cannot run /no-shell: No such file or directory"
fi
