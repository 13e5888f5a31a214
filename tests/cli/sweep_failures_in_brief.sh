# A failure takes one line, whatever the log contains, and a hint says how to see the log. JSON has everything.
. "$(dirname "$0")/lib.sh"
sweep() { "$KML" sweep "$@"; }
expect 3 sweep run s1 --param x=1..9 --maximize score --trials 9 --parallel 1 -- sh -c 'echo hello; echo scor={x}'
contains "$out" "trial 0 no metric"
[[ "$out" != *"last lines"* && "$out" != *hello* ]] || fail "$out"
contains "$err" 'trial 2: no metric; `kml sweep logs s1 2` prints its log'
[ "$(grep -c "sweep logs" <<<"$err")" = 1 ] || fail "$err"
expect 0 sweep logs s1 2
contains "$out" "hello"
expect 0 sweep status s1
contains "$err" 'kml sweep logs s1 2'
[[ "$out" != *"last lines"* && "$out" != *hello* ]] || fail "$out"
expect 0 sweep list
grep -Eq '^s1 +3 trials failed one after another  3/9 ' <<<"$out" || fail "$out"
expect 0 sweep export s1
[ "$(wc -l <<<"$out")" = 4 ] || fail "$out"
expect 0 sweep status s1 -o json
contains "$out" 'hello\nscor='
expect 0 sweep run s2 --param x=1..3 --maximize score --algorithm grid -- sh -c 'echo score={x}'
[[ "$err" != *"sweep logs"* ]] || fail "a hint, and nothing has failed: $err"
