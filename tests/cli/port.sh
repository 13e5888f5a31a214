# `kml port`: wrong ports and jobs that do not run are told before any port is bound.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/local_server.sh"
expect 2 "$KML" port bert
for wrong in x 70000 1:2:3 8888:; do
  expect 2 "$KML" port bert $wrong
  contains "$err" "\"$wrong\" is not a port"
done
expect 1 "$KML" port bert 8888
contains "$err" 'no job "bert"'
expect 0 "$KML" submit --image none --name large --cpu 100000 --no-check -- true
expect 1 "$KML" port large 8888
contains "$err" "not running"
