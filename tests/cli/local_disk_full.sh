# The state folder's file system is full: clients get a message, existing data stays valid, and everything continues
# once there is space.
. "$(dirname "$0")/small_disk.sh"
expect 0 "$KML" submit --name before -- sh -c 'until [ -e go ]; do sleep 0.02; done; echo ended while full >&2; exec >kept; echo yes'
is_running() { "$KML" list | grep before | grep -q Running; }
eventually is_running

"$KML" local kubeconfig >kubeconfig
# Frees space even if the test fails, because a server with a full disk cannot record that its jobs must end.
trap 'status=$?; rm -f "$SMALL/ballast"; finish $status' EXIT
# Fills the disk completely, so that one of the next submits fails.
cat /dev/zero >"$SMALL/ballast" 2>/dev/null || true
refused=
for i in $(seq 40); do
  if ! "$KML" submit --name "job$i" --env "PAD=$(printf %08000d 0)" -- true >out 2>err; then
    refused=$i
    break
  fi
done
[ -n "$refused" ] || fail "40 jobs were taken by a full disk"
contains "$(cat err)" "No space left on device"
contains "$(cat err)" "fix: free up space"
expect 1 env KUBECONFIG="$work/kubeconfig" kubectl create job other --image none -- "$(printf %08000d 0)"
contains "$err" "database or disk is full"
expect 0 "$KML" list
contains "$out" "before"
[[ "$out" != *"job$refused "* ]] || fail "a refused job is there: $out"
touch go
eventually test -e kept

rm "$SMALL/ballast"
expect 0 "$KML" wait before --timeout 1000s
expect 0 "$KML" submit --name "job$refused" --follow -- echo after
contains "$out" "after"
for i in $(seq $((refused - 1))); do expect 0 "$KML" wait "job$i" --timeout 1000s; done
# The state on the disk is the same as the state in the server.
"$KML" list -o name >live
pid=$(cat "$KML_STATE_DIR/local/server.pid")
kill -9 "$pid"
gone() { ! kill -0 "$pid"; }
eventually gone
expect 0 "$KML" list -o name
[ "$out" = "$(cat live)" ] || fail "after a restart: $out, before: $(cat live)"
expect 0 "$KML" wait before
