# A job that was preempted, then cancelled and deleted: its attempt keeps its true start and run time, and the time in
# which the job waited is not run time.
. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 4 >/dev/null 2>&1
printf 'apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: low}\nvalue: -10\n' >class.yaml
expect 0 "$KML" submit -f class.yaml
expect 0 "$KML" submit --name first --gpus 4 --priority low -- sleep 1000
runs() { "$KML" list --no-headers | grep -q "^$1 .*Running"; }
eventually runs first
start=$("$KML" history first -o 'jsonpath={[0].start}')
sleep 2 # so that the start and the preemption have different times, which are whole seconds
expect 0 "$KML" submit --name urgent --gpus 4 -- sleep 1000
eventually runs urgent
expect 0 "$KML" history first -o 'jsonpath={[0].start} {[0].preemptedBy}'
[ "$out" = "$start urgent" ] || fail "$out"
end=$("$KML" history first -o 'jsonpath={[0].end}')
seconds=$(($(date -d "$end" +%s) - $(date -d "$start" +%s)))
expect 0 "$KML" cancel first
expect 0 "$KML" list first
[[ $(grep '^first ' <<<"$out") =~ Cancelled\ .*s\ +${seconds}s\ *$ ]] || fail "did not run for ${seconds}s: $out"
expect 0 "$KML" delete first
expect 0 "$KML" history first
line=$(grep "^1 .*preempted by urgent" <<<"$out")
[[ $line =~ $start\ +${seconds}s\ +.*preempted\ by\ urgent ]] || fail "not from $start for ${seconds}s: $out"

# The same if nobody looked at the job's history before it was deleted.
expect 0 "$KML" delete urgent
expect 0 "$KML" submit --name unseen --gpus 4 --priority low -- sleep 1000
eventually runs unseen
sleep 2
expect 0 "$KML" submit --name urgent --gpus 4 -- sleep 1000
eventually runs urgent
expect 0 "$KML" delete unseen
expect 0 "$KML" history unseen
[[ $out =~ 1\ +unseen-[a-z0-9]+\ .*[0-9]Z\ +[0-9]+s\ +.*preempted\ by\ urgent ]] || fail "$out"

# A job that ran, was suspended and then cancelled shows how long it ran; one that never ran shows nothing.
expect 0 "$KML" delete urgent
expect 0 "$KML" submit --name paused --grace 1s -- sleep 1000
eventually runs paused
sleep 2
expect 0 "$KML" suspend paused
ended() { "$KML" history paused -o json | grep -q '"end"'; }
eventually ended
expect 0 "$KML" submit --name never --gpus 5 --no-check -- true
expect 0 "$KML" cancel paused never
expect 0 "$KML" list --no-headers
[[ $(grep '^paused ' <<<"$out") =~ Cancelled\ .*s\ +[0-9]+s\ *$ ]] || fail "$out"
[[ $(grep '^never ' <<<"$out") =~ Cancelled\ .*s\ +-\ *$ ]] || fail "$out"

# A job that reaches its time limit while it waits again, after a preemption, shows that it ran, and since when.
expect 0 "$KML" submit --name limited --gpus 4 --priority low --time-limit 20s -- sleep 1000
eventually runs limited
start=$("$KML" history limited -o 'jsonpath={[0].start}')
sleep 2 # so that the run time is not 0
expect 0 "$KML" submit --name urgent --gpus 4 -- sleep 1000
eventually runs urgent
expect 3 "$KML" wait limited --timeout 1000s
expect 0 "$KML" list --no-headers limited
[[ $out =~ ^limited\ .*Failed\ .*\ [0-9]+[ms][0-9ms]*\ +time\ limit ]] || fail "$out"
expect 0 "$KML" status limited
contains "$out" "Started    $start"
contains "$out" "Run time   "
