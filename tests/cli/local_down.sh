. "$(dirname "$0")/lib.sh"
# A plain `down` leaves jobs running, and the next server finds them, whether running or finished. --stop-jobs stops
# them with their grace period, and they can be resumed.
state=$XDG_STATE_HOME/kml/local
expect 0 "$KML" submit --name short -- sh -c 'echo "short $$" >>runs; until [ -e go ]; do sleep 0.02; done; echo short ended'
expect 0 "$KML" submit --name long --grace 200s -- sh -c '
  trap "sleep 0.3; echo saved >>runs; exit 143" TERM
  echo "long $PPID" >>runs
  until [ -e finish ]; do sleep 0.05; done'
expect 0 "$KML" submit --name waiting --cpu 1 --node-selector no=such --no-check -- sh -c 'echo waiting >>runs'
started() { [ "$(grep -c -e short -e long runs)" = 2 ]; }
eventually started
expect 0 "$KML" local down
contains "$out" "its pods keep running"
[ ! -e "$state/server.pid" ] || fail "the server is still there"
shims() { pgrep -fc "shim $state" || true; }
[ "$(shims)" -gt 0 ] || fail "the pods have ended with the server"
touch go
one_ended() { grep -q '"phase":"Succeeded"' "$state"/pods/*/status; }
eventually one_ended
expect 0 "$KML" wait short --timeout 1000s
expect 0 "$KML" logs short
[ "$out" = "short ended" ] || fail "$out"
expect 0 "$KML" list
[[ "$out" == *long*Running* ]] || fail "$out"
[ "$(wc -l <runs)" = 2 ] || fail "a pod was started again: $(cat runs)"

expect 0 "$KML" local down --stop-jobs
[ "$(tail -1 runs)" = saved ] || fail "the job was not given its grace: $(cat runs)"
[ "$(shims)" = 0 ] || fail "processes are left: $(shims)"
expect 0 "$KML" list
[[ "$out" == *long*Suspended* ]] || fail "$out"
touch finish
expect 0 "$KML" resume long
expect 0 "$KML" wait long --timeout 1000s
[ "$(grep -c '^long' runs)" = 2 ] || fail "$(cat runs)"
