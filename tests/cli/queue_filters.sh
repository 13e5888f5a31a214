. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 1 >/dev/null
USER=ana expect 0 "$KML" submit --name of-ana --gpus 1 --label team=vision -- sleep 1000
eventually sh -c '"$KML" queue | grep -q "of-ana .*Running"'
USER=bob expect 0 "$KML" submit --name of-bob --gpus 1 -- sleep 1000
names() { expect 0 env "USER=ana" "$KML" queue -o name "$@"; echo $out; }
[ "$(names)" = "of-ana of-bob" ] || fail "$(names)"
[ "$(names --mine)" = of-ana ] || fail "--mine: $(names --mine)"
[ "$(names --user bob)" = of-bob ] || fail "--user: $(names --user bob)"
[ "$(names --state waiting)" = of-bob ] || fail "--state: $(names --state waiting)"
[ "$(names -l team=vision)" = of-ana ] || fail "-l: $(names -l team=vision)"
expect 0 "$KML" queue -n other
contains "$err" "no jobs are waiting or running in namespace other"
expect 2 "$KML" queue --state wating
contains "$err" 'did you mean "waiting"?'
# With forty columns and without colors and UTF-8, the most important columns remain, and no line is wrapped.
COLUMNS= script -qec "stty cols 40; LC_ALL=C NO_COLOR=1 '$KML' queue" /dev/null | tr -d '\r' >narrow
grep -q '^1 .*of-bob .*1 .*~$\|^1 .*of-bob .*1 ' narrow || fail "$(cat narrow)"
! grep -nP '[^\x00-\x7F]|\x1B|.{41}' narrow || fail "$(cat narrow)"
