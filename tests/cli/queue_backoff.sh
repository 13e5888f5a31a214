# Between two attempts, queue, list, status and why show when the next attempt starts.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name flaky --retries 6 -- false
# Each wait is twice as long as the one before, so even on a slow machine, the test sees the job during a
# wait.
says_when() { "$KML" "$@" 2>&1 | grep -q "next .*in about [0-9]"; }
for command in queue list "status flaky" "why flaky"; do
  eventually says_when $command
done
has_time() { "$KML" queue -o json | grep -q '"nextAttempt": *"[0-9]'; }
eventually has_time
# The cause does not say "soon" or "in about": it would be wrong for most of the wait.
has_plain_cause() {
  "$KML" queue -o json | python3 -c '
import json, sys
causes = {row["cause"] for row in json.load(sys.stdin) if row["nextAttempt"]}
sys.exit(causes != {"exit code 1"})'
}
eventually has_plain_cause
# Each task of an array has its own delay, which starts at 10 s.
expect 0 "$KML" submit --name tasks --array 0-3 --retries 6 -- false
tasks_wait() { "$KML" list | grep -q "tasks .*next attempt in about [0-9]*s: exit code 1"; }
eventually tasks_wait
expect 0 "$KML" list
[[ $out =~ tasks.*in\ about\ [0-9]s ]] || fail "$out"
expect 0 "$KML" submit --name many --array 0-7 --retries 6 -- false
many_wait() { "$KML" list | grep -q "many *Waiting *0/8 .*next attempt in about [0-9]s: exit code 1"; }
eventually many_wait
