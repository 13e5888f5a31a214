# A sweep that is run again continues unchanged, except for newly given flags.
. "$(dirname "$0")/lib.sh"
run() { "$KML" sweep run again --param x=1..50 --maximize y --algorithm random "$@" -- echo y={x}; }
expect 0 run --trials 4 --parallel 2 --retries 1
contains "$err" "again: 4 of 4 trials done"
journal=$XDG_STATE_HOME/kml/sweeps/again/journal.jsonl
expect 0 run
contains "$err" "again: 4 of 4 trials done"
! grep -q '"record":"change"' "$journal" || fail "it was changed"
expect 0 run --trials 6
contains "$err" "again: 6 of 6 trials done"
expect 0 run --trials 3
contains "$err" "again: 6 trials done, 3 planned"

# The sweep's name is sufficient.
expect 0 "$KML" sweep run again --trials 8
contains "$err" "again: 8 of 8 trials done"
expect 0 "$KML" sweep resume again --trials 9 --parallel 1
contains "$err" "again: 9 of 9 trials done"
expect 0 "$KML" sweep export again
[ "$(wc -l <<<"$out")" = 10 ] || fail "$out"
expect 2 "$KML" sweep run again --trials 10 --memory 1Gi
contains "$err" "--memory would change the trials of sweep again"
expect 2 "$KML" sweep run nowhere --trials 10
contains "$err" "no sweep nowhere"
contains "$err" "give --param and a command"

# Without some of its flags, it is still the same sweep, so --fork does not create another one.
file() { "$KML" sweep run file --param x=1..3 --maximize y --trials 1 "$@" -- sh -c 'echo y={x} >m-{trial}'; }
expect 0 file --metrics-file 'm-{trial}'
contains "$err" "file: 1 of 1 trials done"
expect 0 file --fork
contains "$err" "file: 1 of 1 trials done"
[ ! -e "$XDG_STATE_HOME/kml/sweeps/file-2" ] || fail "it is another one"
