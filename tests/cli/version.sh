. "$(dirname "$0")/lib.sh"
expect 0 "$KML" version
contains "$out" "kml "
version=${out#kml }
expect 0 "$KML" version -o json
contains "$out" "\"version\": \"$version\""
contains "$out" '"embedded-server"'
