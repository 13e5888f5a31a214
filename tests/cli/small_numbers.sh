. "$(dirname "$0")/lib.sh"
# A number or a duration that makes no sense is rejected with the code for usage errors.
# Each row: what the error contains, and the command.
while IFS='|' read -r text command; do
  [ -n "$command" ] || continue
  # shellcheck disable=SC2086 # the rows have no spaces in their words
  expect 2 timeout 100 "$KML" $command </dev/null
  contains "$err" "$text"
  [ -z "$out" ] || fail "$command: $out"
done <<'ROWS'
nothing would answer|serve m --replicas 0 -- true
a whole number, 0 or more|serve m --replicas -1 -- true
ports are numbers from 1 to 65535|serve m --port 0 -- true
a whole number, 1 or more|serve rollback m --revision 0
"0" is less than 1|submit --nodes 0 -- true
"-1" is less than 0|submit --gpus -1 -- true
"-1" is less than 0|submit --retries -1 -- true
must be more than 0|submit --cpu 0 -- true
must be more than 0|submit --memory -1Gi -- true
a number is missing|submit --array 0- -- true
a number is missing|submit --array -1 -- true
ends before it starts|submit --array 3-1 -- true
"0" is less than 1|submit --array 0-3%0 -- true
write at least 1s|submit --time-limit 0 -- true
--time-limit|submit --time-limit -5m -- true
--grace|submit --grace -1s -- true
--ttl|submit --ttl -1s -- true
--timeout|submit --timeout -1s --wait -- true
--trials|sweep run s --trials 0 --param lr=0..1 --minimize a -- true
--parallel|sweep run s --parallel 0 --param lr=0..1 --minimize a -- true
a whole number, 1 or more|runs --limit 0
a whole number, 1 or more|history --limit 0
a whole number, 1 or more|list --limit 0
a whole number, 1 or more|queue --limit 0
a whole number, 1 or more|cancel --mine --limit 0
a whole number, 0 or more|logs j --tail -5
a whole number, 0 or more|logs j --rank -1
a whole number, 1 or more|logs j --attempt 0
a whole number, 0 or more|gc --keep-last -1
a whole number, 0 or more|mcp --max-gpus -1
must be between 1s and 10m|hang j --for 0
--fake-gpus|local up --fake-gpus -1
it must be more than 0|local up --cpu 0
it must be more than 0|local up --memory -1Gi
ROWS
