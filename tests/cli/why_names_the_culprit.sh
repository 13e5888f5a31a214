# `kml why` names the rank that died first and the line of its error, and the last state of a progress bar.
# kml why does not suggest a log that it has just shown. The suggested commands have the flags that selected
# the server.
. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 1 --cpu 4 >/dev/null
cat >gang.py <<'P'
import os, time
if os.environ["JOB_COMPLETION_INDEX"] == "2":
    raise ValueError("no such batch")
time.sleep(1000)
P
expect 3 "$KML" submit --name gang --nodes 3 --cpu 1 --wait -- python3 gang.py
expect 0 "$KML" why gang
contains "$out" 'rank 2 (pod gang-2-'
contains "$out" ') died first: exit code 1: ValueError: no such batch; no retries were requested'
[[ "$out" != *BackoffLimitExceeded* ]] || fail "$out"
[[ "$out" != *"kml logs"* ]] || fail "the log is shown already: $out"
expect 0 "$KML" list
contains "$out" 'exit code 1'

# The line has more pieces than a node sends at once.
cat >bar.py <<'P'
import sys
for i in range(101):
    sys.stderr.write("\r%3d%%|%s| %d/100 %s" % (i, "#" * (i // 4), i, "x" * 700))
sys.stderr.write("\r100%|#########################| 100/100\n")
raise ValueError("at the end")
P
expect 3 "$KML" submit --name bar --wait -- python3 bar.py
for command in "why bar" "logs bar --first-error"; do
  expect 0 "$KML" $command
  contains "$out" '100%|#########################| 100/100'
  [[ "$out" != *" 53%|"* ]] || fail "$out"
done

printf '\x7fELF\2\1\1' >alien
chmod +x alien
expect 3 "$KML" submit --name alien --wait -- ./alien
expect 0 "$KML" why alien -o json
contains "$out" '"code": "image-platform"'
expect 0 "$KML" why alien
contains "$out" 'Exec format error; the program is for a different processor'
contains "$out" "build the program for this machine's processor"
[[ $out != *"exit code"* && $out != *--image* ]] || fail "$out"
expect 3 "$KML" submit --name inner --wait -- sh -c 'echo "exec /bin/train: exec format error" >&2; exit 255'
expect 0 "$KML" why inner -o json
contains "$out" '"code": "image-platform"'

# Four jobs are ahead. kml shows the position, and makes no suggestion that would start another job.
"$KML" submit --name exp-1 --gpus 1 -- sleep 1000 >/dev/null 2>&1
for i in 8 9 10 11 12; do "$KML" submit --name exp-$i --gpus 1 -- sleep 1000 >/dev/null 2>&1; done
expect 0 "$KML" --context local -n default why exp-12
contains "$out" 'number 5 of the 5 jobs that wait for a node, after exp-8, exp-9'
[[ "$out" != *"kml cancel"* && "$out" != *"cancel exp-1"* ]] || fail "$out"
expect 0 "$KML" --context local -n default why exp-8
contains "$out" 'kml --context local -n default cancel exp-1'
[ "$("$KML" queue | awk '$1 ~ /^[0-9]/ {print $2}' | tr '\n' ' ')" = "exp-8 exp-9 exp-10 exp-11 exp-12 " ] || fail "$("$KML" queue)"

# A cancelled job no longer waits.
"$KML" cancel exp-9 >/dev/null
expect 0 "$KML" timeline -o json
jq -e '.[] | select(.name == "exp-9") | .finished' <<<"$out" >/dev/null || fail "$out"
