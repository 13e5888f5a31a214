# The table of jobs leaves out finished trials of sweeps and says so. Scripts, and users who ask for it, get all jobs.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" sweep run s1 --param x=1..3 --maximize score --trials 3 -- sh -c 'echo score={x}'
expect 0 "$KML" list
[[ "$out" != *s1-t* ]] || fail "$out"
contains "$err" '3 jobs of sweeps and runs not shown: `kml list --all`'
expect 0 "$KML" submit --name other --wait -- true
expect 0 "$KML" list
contains "$out" other
[ "$(wc -l <<<"$out")" = 2 ] || fail "$out"
expect 0 "$KML" list -a
[ "$(grep -c s1-t <<<"$out")" = 3 ] || fail "$out"
[ -z "$err" ] || fail "$err"
expect 0 "$KML" list -l kml.dev/sweep=s1
[ "$(grep -c s1-t <<<"$out")" = 3 ] || fail "$out"
expect 0 "$KML" list -o name
[ "$(wc -l <<<"$out")" = 4 ] || fail "$out"

# A running trial is shown.
"$KML" sweep run s2 --param x=1..3 --maximize score --trials 1 -- sh -c 'sleep 1000; echo score={x}' >/dev/null 2>&1 &
engine=$!
running() { "$KML" list | grep -q 's2-t.*Running'; }
eventually running
expect 0 "$KML" sweep stop s2
wait $engine || true
expect 0 "$KML" list
[[ "$out" != *s2-t* ]] || fail "$out"
