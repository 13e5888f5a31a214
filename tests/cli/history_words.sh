# kml history uses the words of kml list and kml status, not those of Kubernetes.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name good --wait -- true
expect 0 "$KML" submit --name fails -- sh -c 'exit 7'
expect 0 "$KML" submit --name late --time-limit 1s -- sleep 1000
expect 0 "$KML" submit --name ended -- sleep 1000
expect 0 "$KML" cancel ended
# The records do not have the outcomes of these jobs, because no command waits for the jobs, so kml history
# looks up the outcomes.
for job in fails late; do
  state() { [ "$("$KML" status "$1" -o 'jsonpath={.status.conditions[?(@.type=="Failed")].status}')" = True ]; }
  eventually state $job
done
cancelled() { "$KML" list --state cancelled | grep -q ended; }
eventually cancelled
expect 0 "$KML" history
for line in "good .*Succeeded" "fails .*Failed: exit code 7" "late .*Failed: time limit reached" "ended .*Cancelled"; do
  grep -q " $line" <<<"$out" || fail "no $line: $out"
done
result() { "$KML" history "$1" -o 'jsonpath={[0].result}'; }
for pair in "good Succeeded" "fails exit code 7" "late time limit reached" "ended cancelled"; do
  [ "$(result "${pair%% *}")" = "${pair#* }" ] || fail "$pair: $(result "${pair%% *}")"
done
# Once a retry has replaced the failed pod, the attempt keeps the same words.
expect 3 "$KML" submit --name again --retries 1 --wait -- sh -c 'exit 9'
expect 0 "$KML" history again -o 'jsonpath={[*].result}'
[ "$out" = "exit code 9 exit code 9" ] || fail "$out"
# The outcome stays as precise after the job is gone.
expect 0 "$KML" delete fails
expect 0 "$KML" history
grep -q " fails .*Failed: exit code 7" <<<"$out" || fail "$out"
[[ "$out" != *backoff* && "$out" != *Deadline* && "$out" != *Completed* ]] || fail "raw words: $out"
