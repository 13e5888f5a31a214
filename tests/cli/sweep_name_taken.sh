# A sweep that cannot continue says why, and continues after the problem is fixed.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name s1-t00000-r0-a0 -- true
expect 2 "$KML" sweep run s1 --param x=1..2 --maximize score --algorithm grid -- sh -c 'echo score={x}'
contains "$err" "job s1-t00000-r0-a0 already exists"
contains "$err" '`kml sweep resume s1` then continues'
expect 0 "$KML" delete s1-t00000-r0-a0
expect 0 "$KML" sweep resume s1
contains "$err" "2 of 2 trials done"
