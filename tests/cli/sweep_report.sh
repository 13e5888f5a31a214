# A sweep's report is a single file with the sweep's name. On a terminal, its status plots the best value.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" sweep run r1 --param x=1..6 --maximize score --trials 6 --parallel 1 --algorithm grid -- sh -c 'echo score={x}'
expect 0 "$KML" sweep report r1
[ "$out" = r1.html ] || fail "$out"
contains "$(head -c 15 r1.html)" "<!doctype html>"
expect 0 "$KML" sweep report r1 -o -
[ "$out" = "$(cat r1.html)" ] || fail "the same sweep gives another page"
# A link, a pipe or a device such as /dev/null is written into, not replaced.
ln -s there.html link
mkfifo pipe
timeout 1000 cat pipe >through &
for file in link pipe; do expect 0 "$KML" sweep report r1 -o $file; done
[ -L link ] && [ -p pipe ] || fail "they were replaced"
wait $!
cmp r1.html there.html && cmp r1.html through
expect 2 "$KML" sweep report r2
contains "$err" 'did you mean "r1"?'

on_terminal() { LC_ALL=$1 script -qec "stty cols 100; \"$KML\" sweep status r1" /dev/null; }
contains "$(on_terminal C.UTF-8)" "6 │"
contains "$(on_terminal C.UTF-8)" "━"
contains "$(on_terminal C)" "6 |"
expect 0 "$KML" sweep status r1
[[ "$out" != *"│"* ]] || fail "a plot in a pipe: $out"
