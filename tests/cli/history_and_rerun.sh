. "$(dirname "$0")/lib.sh"
git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m start
expect 0 "$KML" submit --name again --wait -- sh -c 'echo ran >>ran'
expect 0 "$KML" history
contains "$out" "Succeeded"
contains "$out" "$(git rev-parse --short=8 HEAD)"
expect 0 "$KML" rerun again --wait
[ "$(wc -l <ran)" = 2 ] || fail "ran $(wc -l <ran) times"
expect 0 "$KML" list -o name
contains "$out" "job.batch/again-"
expect 0 "$KML" history again
contains "$out" "Succeeded"
expect 1 "$KML" rerun agian
contains "$err" 'did you mean "again"'

# A rerun says if the code that it runs has changed.
expect 0 "$KML" rerun again
[[ "$err" != *"has changed since"* ]] || fail "$err"
git add ran && git -c user.name=a -c user.email=a@b commit -q -m ran
expect 0 "$KML" rerun again
contains "$err" "has changed since run"
