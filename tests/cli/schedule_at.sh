# --at starts a job once, even if no server was running at that time.
. "$(dirname "$0")/lib.sh"
export TZ=UTC
expect 0 "$KML" submit --name later --at 'tomorrow 9:00' --tz Europe/Berlin -- true
[ "$out" = "schedule later created" ] || fail "$out"
[[ "$err" =~ starts\ once:\ 20[0-9-]+\ 09:00\ \(Europe/Berlin\) ]] || fail "$err"
expect 0 "$KML" schedule list
[[ "$out" =~ later\ +once\ +Europe/Berlin\ +20[0-9-]+\ 09:00 ]] || fail "$out"
expect 0 "$KML" list
[ -z "$out" ] || fail "the guard is shown as a job: $out"
expect 0 "$KML" schedule pause later
expect 0 "$KML" schedule resume later
expect 0 "$KML" why later
contains "$out" "schedule later (once Europe/Berlin) starts its job at 20"
expect 2 "$KML" submit --at 'tomorrow 9:00' --every 1d -- true
contains "$err" "--every cannot be used with --at"
expect 2 "$KML" submit --at +1h --follow -- true
contains "$err" "cannot be used with --follow"

# The server is down at the scheduled time; the job starts when it is back.
at() { "$KML" submit --name soon --at "$1" -- sh -c 'echo ran >>ran'; }
soon() { at +20s || at +200s; } # on a slow machine, twenty seconds can be over before the schedule is there
expect 0 soon
due=$(date -d "$(sed -n 's/.*starts once: \(.*\) (UTC).*/\1/p' <<<"$err")" +%s)
expect 0 "$KML" local down
# On a slow machine, the time may already have passed.
[ "$(date +%s)" -ge "$due" ] || [ ! -e ran ] || fail "it started too early"
until [ "$(date +%s)" -gt "$due" ]; do sleep 0.5; done
expect 0 "$KML" schedule list
has_run() { [ -s ran ]; }
eventually has_run
is_over() { "$KML" schedule list | grep -q '^soon .*Succeeded'; }
eventually is_over
expect 0 "$KML" schedule list
[[ "$out" =~ soon\ +once\ +UTC\ +-\ +20 ]] || fail "$out"
expect 0 "$KML" why soon
contains "$out" "schedule soon (once UTC) has started its job"
expect 0 "$KML" schedule delete soon later
