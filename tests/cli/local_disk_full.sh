# A state folder on a small file system that is full: the client learns of it, what was there stays right, and
# once space is free all goes on.
. "$(dirname "$0")/small_disk.sh"
expect 0 "$KML" submit --name before -- sh -c 'until [ -e go ]; do sleep 0.02; done; echo ended while full >&2; exec >kept; echo yes'
is_running() { "$KML" list | grep before | grep -q Running; }
eventually is_running

"$KML" local kubeconfig >kubeconfig
# Also where the test fails: a server with a full disk cannot note that its jobs are to end.
trap 'status=$?; rm -f "$SMALL/ballast"; finish $status' EXIT
# Fill the disk to its last byte: whatever is written from now on fails.
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
contains "$(cat err)" "fix: free space"
expect 1 env KUBECONFIG="$work/kubeconfig" kubectl create job other --image none -- "$(printf %08000d 0)"
contains "$err" "database or disk is full"
expect 0 "$KML" list
contains "$out" "before"
[[ "$out" != *"job$refused "* ]] || fail "a refused job is there: $out"
touch go
eventually test -e kept

rm "$SMALL/ballast"
expect 0 "$KML" wait before --timeout 30s
expect 0 "$KML" submit --name "job$refused" --follow -- echo after
contains "$out" "after"
for i in $(seq $((refused - 1))); do expect 0 "$KML" wait "job$i" --timeout 60s; done
# What the disk has is what the server had.
"$KML" list -o name >live
pid=$(cat "$KML_STATE_DIR/local/server.pid")
kill -9 "$pid"
gone() { ! kill -0 "$pid"; }
eventually gone
expect 0 "$KML" list -o name
[ "$out" = "$(cat live)" ] || fail "after a restart: $out, before: $(cat live)"
expect 0 "$KML" wait before
