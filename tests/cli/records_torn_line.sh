. "$(dirname "$0")/lib.sh"
# If a crash cuts off a record, only that record is lost: the next submit is found.
expect 0 "$KML" submit --name before -- true
printf '{"run": "torn", "objects": [' >>"$XDG_STATE_HOME/kml/runs.jsonl"
expect 0 "$KML" submit --name after -- true
expect 0 "$KML" history
contains "$out" before
contains "$out" after
contains "$err" "because these lines are damaged"
contains "$err" "$XDG_STATE_HOME/kml/runs.jsonl:"
# Other damage to a line is also reported. Undamaged lines are not.
sed -i 's/"command":\["true"\]/"command":["true"/' "$XDG_STATE_HOME/kml/runs.jsonl"
expect 0 "$KML" submit --name last -- false
expect 0 "$KML" history
contains "$out" last
[[ $out != *before* ]] || fail "the damaged lines were read: $out"
contains "$err" "runs.jsonl:1,"
contains "$err" "correct or remove these lines"
