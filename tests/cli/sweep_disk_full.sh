# A full disk under a sweep's journal: the engine says so and exits, no known result is lost, and the sweep continues
# once there is space. No trial is created twice.
. "$(dirname "$0")/small_disk.sh"
# Only the journal is on the small disk.
export KML_STATE_DIR=$work/kml
mkdir -p "$KML_STATE_DIR" "$SMALL/sweeps"
ln -s "$SMALL/sweeps" "$KML_STATE_DIR/sweeps"
trap 'status=$?; rm -f "$SMALL/ballast"; finish $status' EXIT
sweep() { "$KML" sweep "$@"; }
run() {
  sweep run s1 --param x=0..39 --maximize score --algorithm grid --trials 40 --parallel 4 -- \
    sh -c 'echo {x} >>ran; until [ {x} -lt 3 ] || [ -e go ]; do sleep 0.02; done; echo score={x}'
}
run >out1 2>err1 &
engine=$!
ended() { [ "$(sweep export s1 | grep -c ,complete,)" = "$1" ]; }
eventually ended 3
cat /dev/zero >"$SMALL/ballast" 2>/dev/null || true
touch go
code=0
wait $engine || code=$?
[ $code = 1 ] || fail "exit $code: $(cat out1 err1)"
contains "$(cat err1)" "No space left on device"
contains "$(cat err1)" '`kml sweep resume`'
# The sweep can still be read, but not continued.
expect 0 sweep status s1
known=$(sweep export s1 | grep -c ,complete,)
[ "$known" -ge 3 ] || fail "only $known are known"
expect 1 sweep resume s1
contains "$err" "No space left on device"
contains "$err" '`kml sweep resume`'

rm "$SMALL/ballast"
expect 0 sweep resume s1
contains "$err" "all 40 trials are done"
contains "$err" "best: x=39"
[ "$(sort -n ran)" = "$(seq 0 39)" ] || fail "not each trial ran once: $(sort -n ran | tr '\n' ' ')"
expect 0 sweep replay s1
contains "$out" "40 proposals, 0 differ"

# A sweep that could not even start leaves nothing behind that blocks its name.
cat /dev/zero >"$SMALL/ballast" 2>/dev/null || true
expect 1 sweep run s2 --param x=0..3 --maximize score --algorithm grid -- sh -c 'echo score={x}'
contains "$err" "No space left on device"
rm "$SMALL/ballast"
expect 0 sweep list
[[ "$out" != *s2* ]] || fail "$out"
expect 2 sweep resume s2
expect 0 sweep run s2 --param x=0..5 --maximize score --algorithm grid -- sh -c 'echo score={x}'
contains "$err" "best: x=5"
