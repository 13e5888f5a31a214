# Arguments that a program prints are not recorded as metrics, and the metrics that it prints are found. Tested with 80
# programs.
. "$(dirname "$0")/lib.sh"
expect 0 python3 "$SOURCE/tests/cli/printed_arguments.py"
# The objective of a sweep is not left out, even if it equals an argument.
expect 0 "$KML" sweep run equal --param lr=0.5,0.25 --algorithm grid --trials 2 --minimize lr -- sh -c 'echo "lr=$2"' sh --lr '{lr}'
expect 0 "$KML" runs --where 'name == "equal"' -o 'jsonpath={[0].metrics.lr.last}'
[ "$out" = 0.25 ] || fail "$out"
