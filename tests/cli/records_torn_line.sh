. "$(dirname "$0")/lib.sh"
# A record that a crash cut off costs that record alone: the next submit is found.
expect 0 "$KML" submit --name before -- true
printf '{"run": "torn", "objects": [' >>"$XDG_STATE_HOME/kml/runs.jsonl"
expect 0 "$KML" submit --name after -- true
expect 0 "$KML" history
contains "$out" before
contains "$out" after
