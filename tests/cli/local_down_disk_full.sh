# With a full disk, `kml local down --stop-jobs` says why the jobs continue. Once the disk has space again, the jobs
# end, and then the server.
. "$(dirname "$0")/small_disk.sh"
trap 'status=$?; rm -f "$SMALL/ballast"; finish $status' EXIT
expect 0 "$KML" submit --name goes-on -- sh -c 'trap "exit 143" TERM; touch up; while :; do sleep 0.05; done'
eventually test -e up
cat /dev/zero >"$SMALL/ballast" 2>/dev/null || true
expect 1 timeout 1000 "$KML" local down --stop-jobs
contains "$err" "cannot stop its jobs"
contains "$err" "No space left on device"
contains "$err" "fix: free space"
expect 0 "$KML" list
contains "$out" Running
rm "$SMALL/ballast"
stopped() { [ "$("$KML" local status | head -n 1)" = "not running" ]; }
eventually stopped
expect 0 "$KML" list
contains "$out" Suspended
