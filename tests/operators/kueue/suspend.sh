. "$(dirname "$0")/lib.sh"
# A suspended job releases its quota and stays suspended. Once resumed, it waits in its queue. `kml resume` does not let
# a waiting job skip its queue.
queue lq 8
# `kml list` and `kml queue` use the same word.
state_is() { "$KML" list --no-headers | grep -Eq "^([a-z]+/)?$1 +$2 " && "$KML" queue --no-headers | grep -Eq "[ /]$1 .* $2 "; }
for kind in job pytorchjob jobset; do
  rank=$([ $kind = job ] && echo 8 || echo 4)
  template=$([ $kind = job ] || echo "-t $kind --nodes 2")
  name=$([ $kind = job ] && echo run-$kind || echo $kind/run-$kind)
  # shellcheck disable=SC2086
  job run-$kind "$rank" $template
  eventually is_admitted run-$kind
  eventually runs run-$kind
  expect 0 "$KML" suspend "$name"
  contains "$out" "job run-$kind suspended"
  job next-$kind 8
  eventually is_admitted next-$kind
  eventually runs next-$kind
  eventually has_no_pods run-$kind
  state_is run-$kind Suspended || fail "$("$KML" list; "$KML" queue)"
  expect 0 "$KML" why "$name"
  contains "$out" "kml resume run-$kind"

  job wait-$kind 8
  eventually is_pending wait-$kind
  state_is wait-$kind Waiting || fail "$("$KML" list; "$KML" queue)"
  expect 0 "$KML" resume wait-$kind
  contains "$out" "job wait-$kind is not suspended: it waits in queue lq"
  has_no_pods wait-$kind || fail "over the quota: $(pods wait-$kind)"
  expect 0 "$KML" resume --all --dry-run
  [ "$out" = "job run-$kind would be resumed" ] || fail "$out"

  expect 0 "$KML" resume "$name"
  contains "$out" "job run-$kind resumed: it waits in queue lq"
  eventually is_pending run-$kind
  state_is run-$kind Waiting || fail "$("$KML" list; "$KML" queue)"
  has_no_pods run-$kind || fail "over the quota: $(pods run-$kind)"
  expect 0 "$KML" cancel next-$kind wait-$kind
  eventually runs run-$kind
  expect 0 "$KML" cancel "$name"
  eventually has_no_pods run-$kind
done

# Another user has deactivated the Workload. `kml resume` lets the job run.
job other 8
eventually runs other
k patch workload "$(workload other)" --type=merge -p '{"spec": {"active": false}}' >/dev/null
eventually has_no_pods other
expect 0 "$KML" why other
contains "$out" "its Workload was deactivated"
expect 0 "$KML" resume other
eventually runs other
# Kueue 0.19 continues to count a pod that is deleted with its namespace, against the room for later cases' jobs.
expect 0 "$KML" cancel other
eventually has_no_pods other
