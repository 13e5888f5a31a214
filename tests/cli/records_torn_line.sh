. "$(dirname "$0")/lib.sh"
# If a crash cuts off a record, only that record is lost: the next submit is found.
expect 0 "$KML" submit --name before -- true
printf '{"run": "torn", "objects": [' >>"$XDG_STATE_HOME/kml/runs.jsonl"
expect 0 "$KML" submit --name after -- true
expect 0 "$KML" history
contains "$out" before
contains "$out" after
