. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name greeter --follow -- sh -c 'echo hello; sleep 0.2; pwd'
[ "$out" = "job greeter submitted
hello
$work" ] || fail "not the log in the caller's folder: $out"
contains "$err" "started the embedded server"
contains "$err" "→ local/default as "
contains "$err" "job greeter succeeded"
