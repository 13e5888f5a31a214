# kml serve needs all replicas at the same time, so it rejects more of them than the nodes have room for: when a program
# is first served, and before an update.
. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 4 >/dev/null
serve() { timeout 1000 "$KML" serve web "$@" -- sh -c 'exec python3 -m http.server --bind 127.0.0.1 $PORT'; }
refused() {
  expect 1 serve "$@"
  contains "$err" "web cannot run"
  contains "$err" "kml serve web --replicas N"
  [[ $err != *--nodes* ]] || fail "$err"
}
refused --replicas 3 --gpus 2
expect 0 serve --replicas 3 --gpus 1
contains "$err" "3 of 3 replicas ready, revision 1"
refused --replicas 3 --gpus 2
refused --gpus 2 # an update without --replicas keeps the 3 replicas
refused --replicas 5 --gpus 1
expect 0 "$KML" serve list
[[ $out =~ web\ +3/3\ +1\  ]] || fail "$out"
