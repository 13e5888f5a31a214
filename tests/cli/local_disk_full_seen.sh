# A full disk neither stops the server nor hangs clients: they get a message, list, status and why show that a job has
# ended, and a server can start.
. "$(dirname "$0")/small_disk.sh"
trap 'status=$?; rm -f "$SMALL/ballast"; finish $status' EXIT
full="the disk of $KML_STATE_DIR/local is full"
expect 0 "$KML" submit --name before -- sh -c 'touch up; until [ -e go ]; do sleep 0.02; done; touch over; exit 3'
eventually test -e up
is_running() { "$KML" list | grep before | grep -q Running; }
eventually is_running
server=$(cat "$KML_STATE_DIR/local/server.pid")
"$KML" wait before --timeout 600s >wait.out 2>wait.err &
waiting=$!
cat /dev/zero >"$SMALL/ballast" 2>/dev/null || true
touch go
eventually test -e over
has_ended() { "$KML" list | grep before | grep -q Failed; }
eventually has_ended
for command in list "status before" "logs before"; do
  expect 0 "$KML" $command
  contains "$err" "$full"
done
for command in list "status before" "why before"; do
  expect 0 "$KML" $command
  contains "$out" Failed
done
expect 1 env KUBECONFIG="$KML_STATE_DIR/local/kubeconfig" kubectl create configmap big --from-literal "a=$(printf %0100000d 0)"
contains "$err" "free up space"
kill -0 "$server" || fail "the server has ended"
# After a stop, and after a kill, the next server can start on the full disk.
expect 0 "$KML" local down
expect 0 "$KML" list
contains "$out" Failed
kill -9 "$(cat "$KML_STATE_DIR/local/server.pid" 2>/dev/null || "$KML" local status | sed -n 's/^ *process *//p')"
expect 0 "$KML" list
contains "$out" Failed

rm "$SMALL/ballast"
got=0
wait $waiting || got=$?
[ $got = 3 ] || fail "exit $got of kml wait: $(cat wait.out wait.err)"
expect 0 "$KML" status before
contains "$out" Failed
# Once the disk has space again, no client gets a warning.
quiet() { "$KML" list 2>&1 >/dev/null | grep -qF "$full" && return 1 || return 0; }
eventually quiet
