. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name tasks --array 0-3%2 --wait -- true
[[ "$("$KML" status tasks)" != *older* ]] || fail "all events are shown"
expect 0 "$KML" submit --name many --array 0-7%4 --wait -- true
contains "$("$KML" status many)" "older events are not shown: kml status many --events"
[ "$("$KML" status many --events | grep -c SuccessfulCreate)" = 8 ] || fail "$("$KML" status many --events)"
"$KML" list | grep -q 'tasks *Succeeded *4/4' || fail "not 4 of 4: $("$KML" list)"
