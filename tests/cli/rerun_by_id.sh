# Fewer than four characters of a run's id do not select the run. With four or more, kml says which run it
# found.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name bert --wait -- true
expect 0 "$KML" history -o json
id=$(python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["run"])' <<<"$out")
for digits in 1 2 3; do
  short=${id:0:$digits}
  for command in "rerun $short" "runs tag $short paper=yes" "runs note $short x" "runs compare bert $short"; do
    code=0
    "$KML" $command >try.out 2>try.err || code=$?
    [ $code != 0 ] || fail "$command: $(cat try.out try.err)"
    contains "$(cat try.err)" "no run \"$short\""
  done
done
for start in "${id:0:4}" "${id:0:8}" "$id"; do
  expect 0 "$KML" runs tag "$start" paper=yes
  expect 0 "$KML" rerun "$start" --name "again-${#start}"
  contains "$err" "running run ${id:0:8} again: job bert"
done
expect 0 "$KML" rerun bert --name by-name
[[ $err != *"running run"* ]] || fail "$err"
