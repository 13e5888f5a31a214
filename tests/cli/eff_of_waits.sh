# kml eff shows how long a job waited. The time stops growing when the job is suspended or cancelled, and is still known
# after its pods are deleted.
. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 1 >/dev/null 2>&1
expect 0 "$KML" submit --name ran --gpus 1 --grace 1s -- sleep 1000
expect 0 "$KML" wait --for running ran
expect 0 "$KML" submit --name queued --gpus 1 -- true
sleep 1.1
expect 0 "$KML" cancel queued
expect 0 "$KML" suspend ran
no_pods() { ! "$KML" status ran | grep -q Running; }
eventually no_pods
waited() { "$KML" eff "$1" -o 'jsonpath={.waitedSeconds} {.ranSeconds}'; }
before="$(waited ran) $(waited queued)"
sleep 1.1
[ "$(waited ran) $(waited queued)" = "$before" ] || fail "it grows: $before, $(waited ran) $(waited queued)"
expect 0 "$KML" eff ran
contains "$out" "the job's pods are deleted"
[[ $out =~ Ran\ +[0-9] ]] || fail "$out"
expect 0 "$KML" eff queued
contains "$out" "no pod has started"
[[ $out != *Ran* ]] || fail "$out"
