# `kml sweep status` says for each trial whether and why early stopping stopped it, and shows the brackets.
# The command needs only the journal.
. "$(dirname "$0")/lib.sh"
# Trials 0, 1, 2, 4, 5 and 7 are in bracket 0. The first three are too few for a comparison. The last three are stopped
# at the first rung, and do nothing until then.
cat >train.sh <<'E'
echo "step=1 loss=$1"
case $KML_TRIAL in 4 | 5 | 7) exec sleep 1000 ;; esac
for step in 2 3 4; do echo "step=$step loss=$1"; done
E
expect 0 "$KML" sweep run s1 --param x=1..8 --algorithm grid --minimize loss --parallel 1 --early-stopping asha --resource step:1..4 \
  -- sh train.sh '{x}'
"$KML" local down --force >/dev/null # no server and no engine: only the journal is left
expect 0 "$KML" sweep status s1
contains "$out" "bracket 0: 6 trials; step 1: 6 reached, 3 stopped; step 4: 3 reached"
contains "$out" "bracket 1: 2 trials; step 4: 2 reached"
line() { grep -E "^ *$1 " <<<"$out" || fail "no trial $1: $out"; }
contains "$(line 5)" "stopped at step 1: 6, cut-off 1 (place 5 of 5 in bracket 0)"
contains "$(line 2)" "not stopped at step 1: 3; fewer than 4 trials had reached this rung (place 3 of 3 in bracket 0)"
contains "$(line 3)" "not judged: bracket 1 has no rung before step 4"
expect 0 "$KML" sweep status s1 -o json
/usr/bin/python3 - "$out" <<'E'
import json, sys
sweep = json.loads(sys.argv[1])
assert sweep["earlyStopping"]["rule"] == "asha", sweep["earlyStopping"]
assert sweep["earlyStopping"]["brackets"][0] == {"bracket": 0, "trials": 6, "rungs": [
    {"resource": 1, "reached": 6, "stopped": 3, "paused": 0}, {"resource": 4, "reached": 3, "stopped": 0, "paused": 0}]}
trial = sweep["trials"][5]["stopping"]
assert trial.pop("why").startswith("stopped at step 1"), trial
assert trial == {"decision": "stopped", "bracket": 0, "resource": 1, "value": 6, "cutoff": 1, "place": 5, "of": 5}, trial
assert sweep["trials"][3]["stopping"]["decision"] == "not judged", sweep["trials"][3]
E

# The median is calculated from the other trials that have reached the step.
cat >median.sh <<'E'
echo "step=1 loss=$1"
[ "$KML_TRIAL" -lt 3 ] || exec sleep 1000
echo "step=2 loss=$1"
E
expect 0 "$KML" sweep run s2 --param x=5..9 --algorithm grid --minimize loss --parallel 1 --early-stopping median \
  -- sh median.sh '{x}'
expect 0 "$KML" sweep status s2
contains "$(line 1)" "not judged at step 2: 1 other trial there, fewer than 3"
contains "$(line 3)" "stopped at step 1: best 8, median 6 of 3 other trials"
contains "$(line 4)" "stopped at step 1: best 9, median 6.5 of 4 other trials"
