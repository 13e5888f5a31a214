. "$(dirname "$0")/lib.sh"
# --wait and --follow report each new cause while a job is pending: first no node, then no image, and then that it is
# running.
k label node node1 zone- >/dev/null
# The retries are needed because a busy kubelet may reject the pod: it may not have received the label for
# which the scheduler chose its node.
tell() { # FLAG NAME
  local zone=$namespace-$2 pod follower status=0
  "$KML" submit "$1" --name "$2" --image localhost/missing:1 --node-selector "zone=$zone" --grace 1s --retries 3 \
    -- sh -c '/bin/busybox echo here; /bin/busybox sleep 1000' >"$2.out" 2>"$2.err" &
  follower=$!
  eventually grep -q "$2 waits: .*without the requested labels" "$2.err"
  k label node node1 "zone=$zone" --overwrite >/dev/null
  eventually grep -q "$2 waits: cannot pull its image" "$2.err"
  pod=$(k get pods -l "job-name=$2" --field-selector status.phase=Pending -o name)
  k set image "$pod" '*=localhost/busybox:1' >/dev/null
  eventually grep -q "kml: $2 runs" "$2.err"
  [ "$1" = --wait ] || eventually grep -qx here "$2.out"
  expect 0 "$KML" cancel "$2"
  wait $follower || status=$?
  [ $status = 3 ] || fail "exit $status of $1: $(cat "$2.err")"
  grep -q "job $2 was cancelled" "$2.err" || fail "not told of the end: $(cat "$2.err")"
  [ "$(sort "$2.err" | uniq -d)" = "" ] || fail "told twice: $(cat "$2.err")"
}
tell --wait waited
tell --follow followed
[ "$(tail -1 followed.out)" = here ] || fail "no log: $(cat followed.out)"

# A cancelled job is shown as cancelled as soon as its pods have stopped, before the controller updates its status.
expect 0 "$KML" submit --name cancelled "${on_node1[@]}" --grace 1s -- /bin/busybox sleep 1000
running() { "$KML" status cancelled | grep -q '^State *Running'; }
eventually running
expect 0 "$KML" cancel cancelled
until "$KML" status cancelled >status && grep -q '^State *Cancelled' status; do
  ! grep -q '^State *Waiting' status || fail "$(cat status)"
done
