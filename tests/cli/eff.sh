# Shows the resources that a job requested and used, both while it runs and after its end.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name lean --cpu 2 --memory 1Gi --time-limit 2h --wait -- python3 -c 'x = bytearray(64 << 20)
for i in range(3_000_000): pass'
expect 0 "$KML" eff lean -o json
cat >check.py <<'END'
import json, sys
eff = json.load(sys.stdin)
assert eff["state"] == "Succeeded" and eff["pods"] == 1, eff
assert eff["timeLimitSeconds"] == 7200, eff
assert eff["cpus"]["asked"] == 2, eff
assert 64 << 20 < eff["memoryBytes"]["peak"] < 300 << 20, eff
assert eff["memoryBytes"]["asked"] == 1 << 30, eff
assert eff["unseen"] == [], eff
END
python3 check.py <<<"$out"
expect 0 "$KML" eff lean
[[ $out =~ Memory\ +[0-9]+Mi\ at\ peak,\ 1.0Gi\ requested ]] || fail "$out"
[[ $out =~ Ran\ +[0-9a-z]+\ of\ at\ most\ 120m ]] || fail "$out"
[[ $out =~ Next\ time.*--memory\ [0-9]+Mi\ is\ enough ]] || fail "$out"

# Tests one task of an array, and a running job.
expect 0 "$KML" submit --name arr --array 0-1 --wait -- sh -c 'test $KML_TASK = 0 || python3 -c "x = bytearray(64 << 20)"'
peak() { "$KML" eff "$1" -o 'jsonpath={.memoryBytes.peak}'; }
[ "$(peak arr-1)" -gt $((64 << 20)) ] && [ "$(peak arr-0)" -lt $((64 << 20)) ] || fail "$(peak arr-0) $(peak arr-1)"
expect 0 "$KML" eff arr
[[ $out == *"none requested"* && $out != *"Next time"* ]] || fail "$out"
expect 0 "$KML" submit --name runs -- sh -c 'while true; do :; done'
busy() { "$KML" eff runs -o 'jsonpath={.cpus.mean}' | grep -q '[1-9]'; }
eventually busy
expect 0 "$KML" eff runs
contains "$out" "none requested"

# Tests a job before any of its pods has started.
expect 0 "$KML" submit --name waits --after runs -- true
expect 0 "$KML" eff waits
contains "$out" "no pod has started"
