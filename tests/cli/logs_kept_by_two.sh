. "$(dirname "$0")/lib.sh"
# If two followers copy the same log, only the first one writes, and the second one only follows.
expect 0 "$KML" submit --name talker -- sh -c 'i=0; while ! [ -e go ] || [ $i -lt 300 ]; do i=$((i+1)); echo line $i; sleep 0.01; done'
"$KML" logs -f --keep talker >first &
first=$!
eventually grep -q 'line 20' first
"$KML" logs -f --keep talker >second 2>second.err &
second=$!
eventually grep -q 'line 40' second
touch go
wait $first
wait $second
contains "$(cat second.err)" "another kml process is writing the copy"
[ "$(grep -c . second.err)" = 2 ] || fail "$(cat second.err)"
for file in first second "$XDG_STATE_HOME"/kml/logs/*/talker.*/*/*.log; do
  awk '{ sub(/.*line /, "") } $1 != NR { print "line " NR " is " $1; exit 1 }' "$file" || fail "$file: lines are lost or doubled"
done
# The copy is unlocked again, and complete.
expect 0 "$KML" logs -f --keep talker
[[ "$err" != *"another kml"* ]] || fail "$err"
