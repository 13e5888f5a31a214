# list, queue and the commands that act on jobs have the same flags for selecting jobs.
. "$(dirname "$0")/lib.sh"
export USER=ana
expect 0 "$KML" submit --name good --label team=vision --wait -- true
expect 3 "$KML" submit --name bad --wait -- false
expect 0 "$KML" submit --name paused -- sleep 1000
expect 0 "$KML" suspend paused
expect 0 env USER=bob "$KML" submit --name of-bob --wait -- true
names() { expect 0 "$KML" list -o name "$@"; echo $(sed 's|.*/||' <<<"$out"); }
same() { [ "$1" = "$2" ] || fail "\"$1\", not \"$2\""; }
same "$(names --state failed)" bad
same "$(names --state Failed,suspended)" "bad paused"
same "$(names --state failed --state suspended)" "bad paused"
same "$(names --mine --state succeeded)" good
same "$(names --user bob)" of-bob
same "$(names -l team=vision)" good
same "$(names -l team=vision --user bob)" ""
same "$(names --sort name)" "bad good of-bob paused"
same "$(names --sort name --limit 2)" "bad good"
same "$(names --limit 0)" ""
same "$(names --since 1d --sort name --limit 1)" bad
sleep 1.1
same "$(names --since 1s)" ""
expect 0 "$KML" list --state failed
contains "$out" "bad "
[ "$(wc -l <<<"$out")" = 2 ] || fail "$out"
expect 0 "$KML" list --state running
contains "$err" "no matching jobs in namespace default"
expect 2 "$KML" list --state faild
contains "$err" 'did you mean "failed"'
expect 2 "$KML" queue --state failed
contains "$err" 'kml list --state failed'
expect 2 "$KML" delete good --limit 1

# --limit 1 selects the newest job.
same "$(names --limit 1)" "$(names | awk '{print $NF}')"
expect 0 "$KML" queue -o name --state suspended
same "$out" paused
expect 0 "$KML" delete --state failed
same "$out" "job bad deleted"
expect 0 "$KML" wait --user bob
expect 0 "$KML" resume --mine
same "$out" "job paused resumed"
expect 0 "$KML" cancel --mine
same "$out" "job paused cancelled"
