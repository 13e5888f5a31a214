. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name greeter "${on_node1[@]}" --follow -- sh -c 'echo hello; /bin/busybox sleep 1; echo good bye'
[ "$out" = "job greeter submitted
hello
good bye" ] || fail "not the log: $out"
contains "$err" "/$namespace as admin"
contains "$err" "job greeter succeeded"
expect 3 "$KML" submit --name failing "${on_node1[@]}" --follow -- sh -c 'echo before; exit 7'
contains "$out" before
contains "$err" "7"
