. "$(dirname "$0")/lib.sh"
expect 3 "$KML" submit --follow -- sh -c 'exit 7'
contains "$err" "exit code 7"
expect 3 "$KML" submit --wait -- sh -c 'kill -9 $$'
contains "$err" "(signal 9)"
expect 3 "$KML" submit --wait -- sh -c 'exit 137'
contains "$err" "exit code 137 (as after signal 9)"
expect 3 "$KML" submit --name lost --wait -- no-such-program
contains "$err" "no-such-program"
expect 0 "$KML" list
contains "$out" "no-such-program"
