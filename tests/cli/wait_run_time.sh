# wait, and the RUN TIME of list, agree on how long a job ran: from its first pod to its end. The time in which it
# waited for a GPU is not part of it.
. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 1 >/dev/null
expect 0 "$KML" submit --name holder --gpus 1 -- sleep 1000
"$KML" wait holder --for running
expect 0 "$KML" submit --name succeeded --gpus 1 -- true
expect 0 "$KML" submit --name failed --gpus 1 -- false
expect 0 "$KML" submit --name cancelled --gpus 1 -- sleep 1000
sleep 3 # the jobs wait for longer than they run
expect 0 "$KML" cancel holder
runs() { [ "$("$KML" list cancelled -o 'jsonpath={.items[0].status.ready}')" = 1 ]; }
eventually runs
expect 0 "$KML" cancel cancelled
for job in holder succeeded failed cancelled; do
  "$KML" wait $job 2>told || true
  ran=$("$KML" list $job --no-headers | awk '{print $7}')
  [[ $ran =~ ^[0-9]+(s|m.*)$ ]] || fail "$job: $("$KML" list $job)"
  grep -Eq "job $job (was |)(succeeded|failed|cancelled) after $ran(:|$)" told || fail "$job, not $ran: $(cat told)"
done
