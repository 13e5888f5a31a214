# `kml exec`: wrong arguments and jobs that are not running are reported before anything is sent to a pod.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/local_server.sh"
expect 2 "$KML" exec bert
contains "$err" "the command is missing"
expect 2 "$KML" exec bert --all-ranks -i -- cat
contains "$err" "--all-ranks cannot be used with -i and -t"
expect 2 "$KML" exec bert -it -- cat </dev/null
contains "$err" "-t needs a terminal"
expect 1 "$KML" exec bert -- true
contains "$err" 'no job "bert"'
expect 0 "$KML" submit --image none --name over -- true
expect 0 "$KML" wait over
expect 1 "$KML" exec over -- true
contains "$err" "job over has ended: succeeded"
contains "$err" "kml logs over"
expect 0 "$KML" submit --image none --name large --cpu 100000 --no-check -- true
expect 1 "$KML" exec large/0 -- true
contains "$err" "not running"
contains "$err" "kml why large"
# Completion offers only running jobs.
expect 0 "$KML" submit --image none --name bert -- sleep 10000
bert_runs() { [ "$("$KML" list --state running -o name)" = job.batch/bert ]; }
eventually bert_runs
expect 0 "$KML" __complete -- exec ''
contains "$out" bert
[[ $out != *over* && $out != *large* ]] || fail "offered: $out"
# A command that is not UTF-8 is rejected, and the next command runs.
expect 1 "$KML" exec bert -- echo $'\xff'
contains "$err" "not valid UTF-8"
expect 0 "$KML" exec bert -- true
# Output that looks like the beginning of kml's own mark is printed at once, because the command may wait for
# an answer to it.
mkfifo to from
"$KML" exec -i bert -- sh -c 'printf ok; read -r answer; printf %s "$answer"' <to >from & client=$!
exec 3>to 4<from
IFS= read -r -n 2 -t 600 said <&4 || fail "no answer, only \"$said\""
echo thanks >&3
[ "$said$(cat <&4)" = okthanks ] || fail "another answer"
wait $client
