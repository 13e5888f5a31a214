. "$(dirname "$0")/lib.sh"
expect 0 "$KML" help
contains "$out" "Usage: kml COMMAND"
expect 0 "$KML" help local up
contains "$out" "--fake-gpus"
expect 2 "$KML" help sumbit
contains "$err" 'did you mean "submit"'
