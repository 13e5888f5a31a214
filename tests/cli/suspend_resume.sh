. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name pausing -- sh -c 'test -e go || sleep 1000; echo went on'
running() { "$KML" list | grep -q 'pausing .*Running'; }
eventually running
expect 0 "$KML" suspend pausing
suspended() { "$KML" list | grep -q 'pausing .*Suspended'; }
eventually suspended
contains "$("$KML" list | grep pausing | tr -s ' ')" ' - `kml resume pausing`' # the run time is not shown any more
touch go
expect 0 "$KML" resume pausing
expect 0 "$KML" wait pausing --timeout 1000s
expect 0 "$KML" logs pausing
contains "$out" "went on"

# `kml list` and `kml queue` use the same word for each state. Each row has the state, the job's name, and its flags.
"$KML" local down >/dev/null
"$KML" local up --fake-gpus 1 >/dev/null 2>&1
state_in_list() { "$KML" list --no-headers | awk -v name="$1" '$1 == name { print $2 }'; }
state_in_queue() { "$KML" queue --no-headers | awk -v name="$1" '$2 == name { print $7 }'; }
both_say() { [ "$(state_in_list "$1")" = "$2" ] && [ "$(state_in_queue "$1")" = "$2" ]; }
while read -r state name flags; do
  # shellcheck disable=SC2086
  expect 0 "$KML" submit --name "$name" $flags -- sleep 1000
  eventually both_say "$name" "$state"
done <<'ROWS'
Running   runs     --gpus 1
Waiting   full     --gpus 1
Waiting   after    --after runs:ok
Waiting   queued   --gpus 1 --queue lq
Suspended held     --set spec.suspend=true
Suspended held-gpu --gpus 1 --set spec.suspend=true
ROWS
expect 0 "$KML" suspend runs
eventually both_say runs Suspended
eventually both_say full Running
expect 0 "$KML" queue -o json
python3 -c 'import json, sys
states = {each["name"]: each["state"] for each in json.load(sys.stdin)}
assert states["runs"] == states["held"] == "Suspended" and states["full"] == "Running" and states["after"] == "Waiting", states' <<<"$out"
