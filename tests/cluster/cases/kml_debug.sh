. "$(dirname "$0")/lib.sh"
# `kml debug` adds a container to a running pod, which sees the processes and files of the job's container.
b=/bin/busybox
expect 0 "$KML" submit --name j "${on_node1[@]}" -- $b sh -c "$b mkdir -p /tmp; echo secret >/tmp/own; exec $b sleep 4321"
eventually timeout 100 "$KML" exec j -- $b test -e /tmp/own
image=(--image localhost/busybox:1)
expect 0 timeout 1000 "$KML" debug j "${image[@]}" -- $b cat /proc/1/root/tmp/own
[ "$out" = secret ] || fail "the file of the job: $out"
contains "$err" "adding a container with image localhost/busybox:1 to j/"
expect 7 timeout 1000 "$KML" debug j "${image[@]}" -- $b sh -c "$b ps | $b grep -q 4321 && exit 7"
[ "$(echo "echo from the shell" | timeout 1000 "$KML" debug j "${image[@]}")" = "from the shell" ] || fail "no shell"
# The program of the new container ends with kml; the job continues.
ended() { [ "$(k get pods -o jsonpath='{.items[*].status.ephemeralContainerStatuses[*].state.terminated.exitCode}')" = "0 0 0" ]; }
eventually ended
expect 0 timeout 1000 "$KML" exec j -- $b true
expect 1 timeout 1000 "$KML" debug j --image localhost/missing:1
contains "$err" "does not start"
contains "$err" "--image IMAGE"

# A user without the right gets an error that names it.
need_user ana
k create role reader --verb=get,list,watch --resource=jobs.batch,pods >/dev/null
k create rolebinding reader --role=reader --serviceaccount="$namespace:ana" >/dev/null
may ana list pods
expect 4 timeout 1000 "$KML" --context ana debug job/j -- $b true
contains "$err" 'cannot patch resource "pods/ephemeralcontainers"'
