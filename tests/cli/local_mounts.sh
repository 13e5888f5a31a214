. "$(dirname "$0")/lib.sh"
# A mount that is not possible on this machine is rejected before anything is created, with a way that works here.
mkdir -p there
"$KML" local up >/dev/null 2>&1
# Each row: what kml says, and the flags.
while IFS='|' read -r what why fix flags; do
  # shellcheck disable=SC2086 # the rows have no spaces in their words
  got=0
  "$KML" submit $flags -- true >out 2>err || got=$?
  err=$(cat err)
  [ "$got" = 1 ] || [ "$got" = 2 ] || fail "exit $got: $flags: $err"
  contains "$err" "kml: error: $what"
  contains "$(grep '^  why: ' <<<"$err")" "$why"
  contains "$(grep '^  fix: ' <<<"$err")" "$fix"
  [[ $err != *422* && $err != *volumes\[* ]] || fail "$flags: the server's own words: $err"
done <<T
--mount nfs/files.example/data:/d is not possible on this machine|cannot mount a file server|mount files.example:/data in a folder on this machine, then: --mount ./DIR:/d|--mount nfs/files.example/data:/d:ro
--mount image/models/bert:2:/d is not possible on this machine|without images|--mount ./DIR:/d|--mount image/models/bert:2:/d
$work/ther does not exist on this machine|the pods could not start without it|did you mean "there"?|--mount host$work/ther:/d
$work/there/a/b does not exist on this machine|the pods could not start without it|$work/there does not contain a|--mount host$work/there/a/b:/d
persistentvolumeclaim "none" does not exist|the pods could not start|create a claim: kml submit --mount new/10Gi:/data --keep -- true; in place of --mount pvc/NAME:/PATH, mount a folder on this machine: --mount ./DIR:/PATH|--mount pvc/none:/d
persistentvolumeclaim "none" does not exist|the pods could not start|kml submit --mount new/10Gi:/data --keep|--mount pvc/none/sub:/d
--mount ./nowhere:/d is not a folder|it does not exist|check the path|--mount ./nowhere:/d
T
for source in csi/driver nothing; do
  expect 2 "$KML" submit --mount "$source:/d" -- true
  contains "$err" "\"$source\" is not a source: write pvc/NAME, host/DIR"
done
expect 1 "$KML" submit --test-only --mount "host$work/ther:/d" -- true
contains "$err" "$work/ther does not exist on this machine"
expect 0 "$KML" list -o name
[ -z "$out" ] || fail "a job was created: $out"

# The ways that the fixes name work.
expect 1 "$KML" submit --mount pvc/none:/d -- true
make=$(sed -n 's/.*create a claim: \(kml submit .* -- true\);.*/\1/p' <<<"$err")
expect 0 "$KML" ${make#kml}
claim=$(grep -o 'pvc/[a-z0-9-]*' <<<"$err" | head -n 1)
expect 0 "$KML" submit --dry-run=server --mount "$claim:/d" -- true
expect 0 "$KML" submit --dry-run=server --mount ./there:/d -- true
expect 0 "$KML" submit --dry-run=server --mount "host$work/there:/d" -- true
expect 0 "$KML" submit --dry-run=server --mount new/1Gi:/d -- true
expect 0 "$KML" submit --no-check --name waits --mount "host$work/later:/d" -- true
