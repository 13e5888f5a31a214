# A schedule whose steps are all cached runs nothing. kml says so when the schedule is created, in the run,
# and in the lists.
. "$(dirname "$0")/lib.sh"
mkdir pipelines && cd pipelines # the steps read no other files
pipeline() { # NAME MORE: a file with one step
  printf 'apiVersion: kml.dev/v1\nkind: Pipeline\nmetadata: {name: %s}\nspec:\n  steps:\n    load: {outputs: {data: dataset}, %s}\n' \
    "$1" "$2" >$1.yaml
}
pipeline still 'command: [sh, -c, "echo x >${out.data}"]'
pipeline each 'cache: false, command: [sh, -c, "echo x >${out.data}"]'
pipeline timed 'command: [sh, -c, "echo ${run.scheduled} >${out.data}"]'
pipeline aged 'cache: {maxAge: 1h}, command: [sh, -c, "echo x >${out.data}"]'
create() { expect 0 "$KML" run "$1.yaml" --cron '0 0 1 1 *' --name "$1" "${@:2}"; }
create still
contains "$err" "if nothing has changed, it runs nothing"
contains "$err" 'to run a step at each start'
for name in each timed aged; do
  create $name
  [[ $err != *"runs nothing"* ]] || fail "$name: $err"
done
expect 0 "$KML" schedule delete still
create still --no-cache
[[ $err != *"runs nothing"* ]] || fail "$err"
expect 0 "$KML" schedule delete still

expect 0 "$KML" run still.yaml
create still
contains "$err" "all steps are cached"
expect 0 "$KML" run still.yaml --at +2h --name later
contains "$err" "all steps are cached"
expect 0 "$KML" schedule run-now still --wait
# The job may end a moment before its last lines are stored.
has_words() { expect 0 "$KML" schedule list; grep -q '^still .*Succeeded, all cached' "$work/out"; }
eventually has_words
contains "$err" "the last run of still ran nothing, because all steps were cached"
job=$("$KML" schedule list -o json | python3 -c 'import json, sys
still = {schedule["name"]: schedule for schedule in json.load(sys.stdin)}["still"]
assert still["ranNothing"] is True, still
print(still["lastJob"])')
expect 0 "$KML" logs "$job"
contains "$out" "this run of schedule still ran nothing"
expect 0 "$KML" run status "$job"
contains "$err" "this run of schedule still ran nothing"
expect 0 "$KML" run list
contains "$(grep "^$job " <<<"$out")" "succeeded, all cached"

expect 0 "$KML" schedule run-now each --wait
expect 0 "$KML" schedule list
[[ $(grep '^each ' <<<"$out") != *cached* ]] || fail "$out"
