. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name trainer --wait -- true
for command in logs status wait cancel delete suspend resume history; do
  expect 1 "$KML" $command trianer
  contains "$err" 'did you mean "trainer"'
done
expect 0 "$KML" list -o name
[ "$out" = job.batch/trainer ] || fail "$out"
