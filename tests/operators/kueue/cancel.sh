. "$(dirname "$0")/lib.sh"
# A Job, PyTorchJob or JobSet that is cancelled while it waits in Kueue's queue never runs, even when there is room for it.
queue lq 8
for kind in job pytorchjob jobset; do
  rank=$([ $kind = job ] && echo 8 || echo 4)
  template=$([ $kind = job ] || echo "-t $kind --nodes 2")
  of() { [ $kind = job ] && echo "$1" || echo "$kind/$1"; }
  job full-$kind 8
  eventually is_admitted full-$kind
  # shellcheck disable=SC2086
  job wait-$kind "$rank" $template
  job next-$kind 8
  eventually is_pending wait-$kind
  eventually is_pending next-$kind
  expect 0 "$KML" cancel "$(of wait-$kind)"
  contains "$out" "job wait-$kind cancelled"
  ! is_active wait-$kind || fail "the Workload of wait-$kind is active"
  expect 0 "$KML" cancel full-$kind
  eventually is_admitted next-$kind
  eventually runs next-$kind
  has_no_pods wait-$kind || fail "pods of a cancelled job: $(pods wait-$kind)"
  expect 0 "$KML" status "$(of wait-$kind)"
  contains "$out" Cancelled
  expect 0 "$KML" cancel next-$kind
  eventually has_no_pods next-$kind
done

# The job is admitted, but has no running pod. Kueue must not start it again.
job admitted 8 --node-selector none=such
eventually is_admitted admitted
expect 0 "$KML" cancel admitted
! is_active admitted || fail "the Workload is active"
job next 8
eventually is_admitted next
has_no_pods admitted || fail "pods of a cancelled job: $(pods admitted)"

# The job is cancelled right after the submit, before Kueue has seen it.
job early 8
expect 0 "$KML" cancel early
! is_active early || fail "the Workload is active"

# The job is replaced while it waits, so only the new one runs.
job again 8
eventually is_pending again
old=$(workload again)
is_replaced() { [ -n "$(workload again)" ] && [ "$(workload again)" != "$old" ]; }
job again 4 --replace
eventually is_replaced
expect 0 "$KML" cancel next
eventually runs again
[ "$(pods again | wc -l)" = 1 ] || fail "$(pods again)"

# A user who may see Workloads but change only jobs cannot stop a waiting job, and gets an error that says so.
need_user ana
k create rolebinding ana --clusterrole edit --serviceaccount "$namespace:ana" >/dev/null
# Since Kueue 0.19, the right to see Workloads is needed, too.
k create rolebinding ana-sees --clusterrole workload-viewer-role --serviceaccount "$namespace:ana" >/dev/null
may ana list workloads.kueue.x-k8s.io
may ana delete jobs.batch
job held 8
eventually is_pending held
expect 4 "$KML" --context ana cancel held
contains "$err" 'job held stays as it is: queue lq decides whether it runs'
contains "$err" '`kml --context ana delete held` removes it'
is_active held || fail "the Workload is inactive"
[ -z "$(k get job held -o 'jsonpath={.metadata.annotations.kml\.dev/cancelled}')" ] || fail "held counts as cancelled"
expect 0 "$KML" --context ana delete held
