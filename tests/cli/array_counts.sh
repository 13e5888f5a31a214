. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name tasks --array 0-3%2 --wait -- true
"$KML" list | grep -q 'tasks *Succeeded *4/4' || fail "not 4 of 4: $("$KML" list)"
