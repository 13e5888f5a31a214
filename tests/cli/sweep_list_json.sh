# sweep list -o json has the table's data for programs. A broken journal does not hide other sweeps.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" sweep list -o json
[ "$out" = "[]" ] || fail "$out"
expect 0 "$KML" sweep run s1 --param x=1..3 --maximize score --trials 2 -- sh -c 'echo score={x}'
expect 0 "$KML" sweep run s2 --param x=1..3 --maximize score --trials 1 -- sh -c 'echo score={x}'
echo broken >>"$XDG_STATE_HOME/kml/sweeps/s2/journal.jsonl"
echo broken >>"$XDG_STATE_HOME/kml/sweeps/s2/journal.jsonl"
expect 0 "$KML" sweep list -o json
python3 - "$work/out" <<'PY' || fail "$out"
import json, sys
s1, s2 = json.load(open(sys.argv[1]))
assert s1["name"] == "s1" and s1["trials"] == {"ended": 2, "planned": 2}, s1
assert s1["objective"] == "score" and 1 <= s1["best"] <= 3 and "T" in s1["begun"], s1
assert s2["name"] == "s2" and "damaged" in s2["error"], s2
PY
expect 0 "$KML" sweep list -o yaml
contains "$out" "name: s1"
