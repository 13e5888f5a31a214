. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name slow -- sleep 1000
expect 5 "$KML" wait slow --timeout 1s
contains "$err" "job slow has not finished after 1s"
