. "$(dirname "$0")/lib.sh"
# A schedule is a CronJob with the job that a submit would create. The CronJob owns the Secret with the code.
mkdir code && echo 'echo from the code' >code/job.sh
expect 0 "$KML" submit --name nightly --cron '0 3 * * *' --tz Europe/Berlin --code code -- sh job.sh
[ "$out" = "schedule nightly created" ] || fail "$out"
contains "$err" "03:00 (Europe/Berlin)"
contains "$err" "only while the embedded server runs"
expect 0 "$KML" list secrets -o jsonpath='{.items[*].metadata.ownerReferences[*].kind}'
[ "$out" = CronJob ] || fail "$out"
expect 1 "$KML" submit --name nightly --cron '0 4 * * *' -- true
contains "$err" "already exists"

# Before a schedule has started a job, it has no log; its jobs have logs.
expect 1 "$KML" logs nightly
contains "$err" "schedule nightly has not started a job yet"
contains "$err" "it starts a job at"

# A job started by hand is like any other job of the schedule.
expect 0 "$KML" schedule run-now nightly --follow
contains "$out" "from the code"
expect 1 "$KML" logs nightly
contains "$err" "fix: kml logs nightly-"
expect 0 "$KML" list -l kml.dev/schedule=nightly
contains "$out" "Succeeded"
expect 0 "$KML" schedule list -o json
contains "$out" '"result": "Succeeded"'
contains "$out" '"schedule": "0 3 * * *"'
expect 0 "$KML" schedule list -A
[[ "$(head -n 1 <<<"$out")" =~ ^NAMESPACE\ +NAME\ +SCHEDULE\ +ZONE\ +NEXT\ +LAST\ +RESULT\ +ACTIVE ]] || fail "$out"
contains "$err" "only while the embedded server runs"
expect 0 "$KML" why nightly
contains "$out" "starts its next job at"
contains "$err" "only while the embedded server runs"

# Schedules are paused, resumed, replaced and deleted.
expect 0 "$KML" schedule pause nightly
expect 0 "$KML" schedule list
contains "$out" paused
expect 0 "$KML" schedule resume nightly
expect 0 "$KML" submit --name nightly --replace --every 6h --tz UTC -- true
expect 0 "$KML" submit --name another --every 1d -- true
expect 0 "$KML" schedule list -o name
[ "$out" = $'another\nnightly' ] || fail "$out"
expect 0 "$KML" schedule list
[[ "$out" =~ nightly\ +0\ \*/6 ]] || fail "$out"
expect 1 "$KML" schedule delete another nigthly
contains "$err" 'did you mean "nightly"?'
expect 0 "$KML" schedule delete another nightly
expect 0 "$KML" schedule list
contains "$err" "no schedules in namespace default"
is_gone() { [ "$("$KML" list secrets -o jsonpath='{.items[*].metadata.name}')" = "" ]; }
eventually is_gone

# A job starts on schedule, even if the server was down at the scheduled time.
expect 0 "$KML" submit --name minutely --cron '* * * * *' -- sh -c 'echo tick >>ticks'
expect 0 "$KML" local down
sleep $((61 - $(date +%-S)))
expect 0 "$KML" schedule list
has_ticked() { [ -s ticks ]; }
eventually has_ticked
expect 0 "$KML" schedule delete minutely

# A job that cannot be scheduled is rejected, with an alternative.
expect 2 "$KML" submit --every 7h -- true
contains "$err" "use --every 6h or --every 8h"
expect 2 "$KML" submit --cron '0 3 * *' -- true
contains "$err" "expected exactly 5 fields"
expect 2 "$KML" submit --tz UTC -- true
contains "$err" "--tz needs --cron, --every or --at"
expect 2 "$KML" submit --cron @daily -t pytorchjob --nodes 2 -- true
contains "$err" "cannot start a PyTorchJob"
expect 2 "$KML" submit --cron @daily -t job-indexed --nodes 2 -- true
contains "$err" "cannot start several objects"
expect 2 "$KML" submit --cron @daily --follow -- true
contains "$err" "kml schedule run-now NAME --follow"
for flags in "--after x" "--idempotency-key k" "--output text=x.txt"; do
  expect 2 "$KML" submit --cron @daily $flags -- true
  contains "$err" "cannot be used with"
done
expect 0 "$KML" submit --cron @daily --name dry --dry-run -- true
contains "$out" "kind: CronJob"
expect 0 "$KML" submit --cron @daily --name dry --dry-run=server -- true
contains "$out" "schedule dry would be accepted"
expect 0 "$KML" submit --cron @daily --name dry --test-only -- true
