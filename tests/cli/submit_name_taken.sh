. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name twice --wait -- true
expect 1 "$KML" submit --name twice -- true
contains "$err" "already exists"
contains "$err" "--replace"
expect 0 "$KML" submit --name twice --replace --follow -- echo again
contains "$out" "again"
expect 0 "$KML" list -o name
[ "$out" = job.batch/twice ] || fail "$out"
