# `kml local up` rejects settings that differ from those of the running server, and says how to restart it.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" local up --fake-gpus 1 --cpu 4
expect 0 "$KML" local up
expect 0 "$KML" local up --fake-gpus 1 --cpu 4
expect 2 "$KML" local up --fake-gpus 2 --cpu 4
contains "$err" "with other settings than --fake-gpus 2"
contains "$err" "fix: kml local down, then kml local up --fake-gpus 2"
expect 2 "$KML" local up --fake-gpus a100:1
expect 2 "$KML" local up --node-label rack=7
expect 2 "$KML" local up --log-limit 2Gi
expect 0 "$KML" local down
expect 0 "$KML" local up --fake-gpus 2
expect 0 "$KML" local down
expect 1 "$KML" local up --cpu 0
contains "$err" "a node needs more than 0 to run pods"
