. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name pausing -- sh -c 'test -e go || sleep 1000; echo went on'
running() { "$KML" list | grep -q 'pausing .*Running'; }
eventually running
expect 0 "$KML" suspend pausing
suspended() { "$KML" list | grep -q 'pausing .*Suspended'; }
eventually suspended
contains "$("$KML" list | grep pausing | tr -s ' ')" ' - `kml resume pausing`' # the run time is not shown any more
touch go
expect 0 "$KML" resume pausing
expect 0 "$KML" wait pausing --timeout 1000s
expect 0 "$KML" logs pausing
contains "$out" "went on"
