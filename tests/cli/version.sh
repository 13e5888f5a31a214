. "$(dirname "$0")/lib.sh"
expect 0 "$KML" version
contains "$out" "kml "
