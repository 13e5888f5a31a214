# A sweep with an unreadable journal does not hide other sweeps, and can be deleted together with its jobs.
. "$(dirname "$0")/lib.sh"
for name in good broken newer lost; do
  expect 0 "$KML" sweep run $name --param x=1..3 --minimize y --trials 2 -- echo y={x}
done
sweeps=$XDG_STATE_HOME/kml/sweeps
echo 'no record' >>"$sweeps/broken/journal.jsonl"
sed -i '1s/"version":1/"version":2/' "$sweeps/newer/journal.jsonl"
sed -i '1s/.*/no record/' "$sweeps/lost/journal.jsonl"

expect 0 "$KML" sweep list
contains "$(grep ^good <<<"$out")" "2/2"
contains "$(grep ^broken <<<"$out")" "of the journal is damaged"
contains "$(grep ^newer <<<"$out")" "the journal was written by a newer kml"
contains "$(grep ^lost <<<"$out")" "line 1 of the journal is damaged"

for name in broken newer lost; do
  contains "$("$KML" list -o name)" "$name-t00000"
  expect 0 "$KML" sweep delete $name
  [[ "$("$KML" list -o name)" != *$name-t0* ]] || fail "jobs of $name are left"
done
expect 0 "$KML" sweep list -o name
[ "$out" = good ] || fail "$out"
contains "$("$KML" list -o name)" "good-t00000"
expect 2 "$KML" sweep delete lost
