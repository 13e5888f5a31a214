. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name done --wait -- true
expect 0 "$KML" delete done
expect 0 "$KML" submit --name ended --wait -- true
expect 3 "$KML" submit --name ended --replace --wait -- false
expect 0 "$KML" submit --name going -- sleep 1000
expect 0 "$KML" delete going
expect 0 "$KML" history done
contains "$out" "Succeeded"
expect 0 "$KML" history -o json
python3 - "$out" <<'P'
import json, sys
outcomes = [(run["objects"][0]["metadata"]["name"], run["outcome"]) for run in json.loads(sys.argv[1])]
assert outcomes == [("done", "Succeeded"), ("ended", "Succeeded"), ("ended", "Failed"), ("going", "Cancelled")], outcomes
P
