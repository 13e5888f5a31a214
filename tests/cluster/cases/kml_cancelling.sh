. "$(dirname "$0")/lib.sh"
# `kml list` shows a cancelled job as Cancelling until its pod has stopped, and `kml wait` waits just as long.
expect 0 "$KML" submit --name slow "${on_node1[@]}" --grace 1000s -- /bin/busybox sh -c \
  'trap "echo asked" TERM; echo up; while [ ! -e /go ]; do /bin/busybox sleep 1; done'
says() { "$KML" logs slow | grep -q "$1"; }
eventually says up
expect 0 "$KML" eff slow
contains "$out" "the cluster has no metrics, or you may not read"
expect 0 "$KML" cancel slow
eventually says asked
expect 5 "$KML" wait slow --timeout 3s
expect 0 "$KML" list --no-headers
[[ $out =~ slow\ +Cancelling ]] || fail "$out"
expect 0 "$KML" cancel slow
contains "$out" "job slow is already being cancelled"
k exec "$(k get pods -l job-name=slow -o name)" -- /bin/busybox touch /go || true # its pod may end first
expect 3 "$KML" wait slow
contains "$err" "was cancelled"
expect 0 "$KML" list --no-headers
[[ $out =~ slow\ +Cancelled ]] || fail "$out"
expect 0 "$KML" eff slow
contains "$out" "this cluster keeps no record of it"
