# On a full disk, `kml local down --stop-jobs` stops the jobs, with their grace period, and then the server.
. "$(dirname "$0")/small_disk.sh"
trap 'status=$?; rm -f "$SMALL/ballast"; finish $status' EXIT
expect 0 "$KML" submit --name goes-on -- sh -c 'trap "sleep 0.2; touch saved; exit 143" TERM; touch up; while :; do sleep 0.05; done'
eventually test -e up
cat /dev/zero >"$SMALL/ballast" 2>/dev/null || true
expect 0 timeout 1000 "$KML" local down --stop-jobs
[ -e saved ] || fail "the job had no grace period"
[ "$("$KML" local status | head -n 1)" = "not running" ] || fail "the server runs on"
rm "$SMALL/ballast"
expect 0 "$KML" list
contains "$out" Suspended
