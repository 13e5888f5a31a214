. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name never --node-selector no=where --no-check -- true
expect 0 "$KML" cancel never
expect 0 "$KML" list
contains "$out" "Cancelled"
expect 0 "$KML" queue
[ -z "$out" ] || fail "a cancelled job waits: $out"
# Once its pod is gone, there is no attempt to show.
tells() { "$KML" history never 2>&1 | grep -q "never was cancelled before it ran"; }
eventually tells
# The job has ended, so these commands do not change it.
expect 0 "$KML" cancel --mine --dry-run
[[ "$out" != *never* ]] || fail "$out"
for change in suspend resume cancel; do
  expect 0 "$KML" $change never
  contains "$out" "job never has already finished"
done
