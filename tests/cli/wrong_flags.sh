# Errors about flags have one wording for each kind of mistake. Each row has the command, what is wrong, and the fix;
# "…" at the end stands for any text.
. "$(dirname "$0")/lib.sh"
kubeconfig_of_cluster
echo 'name: x' >sweep.yaml
printf 'apiVersion: kml.dev/v1\nkind: Pipeline\nmetadata: {name: p}\nspec: {steps: {a: {command: [true]}}}\n' >p.yaml
sed 's/context: there/context: one/; s/^contexts: .*/contexts: [{name: one, context: {cluster: there, user: me}}, {name: two, context: {cluster: thre, user: me}}]/' \
  kubeconfig >two
# says LABEL TEXT: checks that the error has a line with this label and text; of a text with "…", only the part before
# it must match.
says() {
  local wanted line
  wanted=$1$(sed 's/^ *//; s/ *$//' <<<"$2")
  line=$(grep "^$1" <<<"$err" || echo "$1")
  [[ $line == "$wanted" || ($wanted == *… && $line == "${wanted%…}"*) ]] || fail "$command: not \"$wanted\": $err"
}
rows=0
while IFS='|' read -r command what fix; do
  # shellcheck disable=SC2086
  expect 2 env KUBECONFIG= "$KML" ${command# }
  says "kml: error: " "$what"
  says "  fix: " "$fix"
  rows=$((rows + 1))
done <<'ROWS'
list -o jsn                                   | invalid value "jsn" for -o              | did you mean "json"?
list --state Runing                           | invalid value "Runing" for --state      | did you mean "running"?
usage --by usr                                | invalid value "usr" for --by            | did you mean "user"?
logs x --tail many                            | invalid value "many" for --tail         |
wait x --timeout soon                         | invalid value "soon" for --timeout      |
wait x --for completed                        | invalid value "completed" for --for     | for a condition: --for=condition=Complete
wait x --for deleted                          | invalid value "deleted" for --for       | did you mean "delete"? for a condition: --for=condition=deleted
wait x --for condition=                       | invalid value "condition=" for --for    |
logs x --since-time now                       | invalid value "now" for --since-time    |
submit --after x:sometimes -- true            | invalid value "x:sometimes" for --after | --after x:ok
submit --input foo -- true                    | invalid value "foo" for --input         | `kml artifact list` shows the artifacts
submit --follow --wait -- true                | --follow cannot be used with --wait     | leave out --wait; --follow already waits
submit --output a=b --follow --wait -- true   | --follow cannot be used with --wait     | leave out --wait; --follow already waits
submit --gpu 1 sleep 5                        | unexpected argument "sleep"            | kml submit --gpus 1 -- sleep 5
submit -t job -f x.yaml                       | -t cannot be used with -f               | use one of them
submit --cron x --at y -- true                | --cron cannot be used with --at         | use one of them
submit --cron x --follow -- true              | --cron, --every and --at cannot be used with --follow and --wait | afterwards: …
submit --idempotency-key k --replace -- true  | --idempotency-key cannot be used with --replace | use one of them
submit --test-only --no-check -- true         | --test-only cannot be used with --no-check | use one of them
submit --cpus 4 -- true                       | unknown flag --cpus                     | did you mean "--cpu"?
submit --test-only --wait -- true             | --test-only cannot be used with --follow, --wait, --replace and --dry-run | use one of them
submit --notify desktop --dry-run -- true     | --notify cannot be used with --dry-run and --test-only | use one of them
submit --array 0-3 --output a=b -- true       | --array cannot be used with --input and --output | use one of them
submit --after x --output a=b -- true         | --after cannot be used with --input and --output | make both jobs steps of a pipeline: kml run FILE
wait x --notify desktop --for running         | --notify cannot be used with --for      | leave out --for
logs x --rank 1 --all-ranks                   | --rank cannot be used with --all-ranks  | use one of them
logs x --since 1h --since-time 2026-11-21T14:05:06Z | --since cannot be used with --since-time | use one of them
logs x --pod-selector a=b                     | a job cannot be used with --pod-selector | --pods REGEX selects among a job's pods
logs x --metrics --raw                        | --metrics cannot be used with --first-error, --raw and -o | use one of them
rerun x --set-arg a=1 -- true                 | --set-arg cannot be used with a command | write the argument into the command
delete --all x                                | JOB cannot be used with a flag that selects jobs | name the jobs, …
exec x --all-ranks -i -- true                 | --all-ranks cannot be used with -i and -t | use one of them
dev --jupyter -- true                         | --jupyter cannot be used with a command | use one of them
dev --ssh --jupyter                           | --ssh cannot be used with --sync, --jupyter and --detach | use one of them
trust --list x                                | --list cannot be used with a file or another flag | use one of them
timeline x --mine                             | JOB cannot be used with --mine, --all-namespaces and --limit | use one of them
timeline --html a -o yaml                     | --html cannot be used with --output     | use one of them
runs push x --mlflow https://h --where a=1               | RUN cannot be used with a flag that selects runs | give either names of runs …
sweep run a --replace --fork --param x=1,2 --maximize y -- true | --replace cannot be used with --fork | use one of them
sweep run a --detach --in-cluster --param x=1,2 --maximize y -- true | --detach cannot be used with --in-cluster | leave --detach out
gc --store s3://b --keep-last 1               | --keep-last and --max-size cannot be used with --store | kml gc …
run p.yaml --cron x --dry-run                 | --cron, --every and --at cannot be used with --dry-run | use one of them
schedule git .#m -f p.yaml --once --every 1h    | --once cannot be used with --every      | use one of them
status                                        | JOB is missing                          | kml status [flags] JOB...
cancel                                        | JOB is missing                          | name the jobs …
serve -- true                                 | NAME is missing                         | kml serve …
sync .                                        | an argument after "." is missing        | kml sync [flags] FOLDER …
runs push --mlflow https://host               | RUN is missing                          | name the runs, …
runs push x                                   | --mlflow URI is missing                 | add --mlflow https://HOST
schedule git .#m                              | -f FILE is missing                      | pass a path in the repository: …
sweep run                                     | NAME is missing                         | to start one, …
submit -f                                     | --file needs a value                    | --file FILE; to follow the log: --follow
submit -f -- true                             | --file needs a value                    | --file FILE; to follow the log: --follow
list -A -n x                                  | -A cannot be used with -n               | use one of them
list nodes -A -n x                            | -A cannot be used with -n               | use one of them
list --all-namespaces --namespace=x           | -A cannot be used with -n               | use one of them
list -A -w -n x                               | -A cannot be used with -n               | use one of them
queue -A -n x                                 | -A cannot be used with -n               | use one of them
top jobs -A -n x                              | -A cannot be used with -n               | use one of them
top queues -A -n x                            | -A cannot be used with -n               | use one of them
usage -A -n x                                 | -A cannot be used with -n               | use one of them
timeline -A -n x                              | -A cannot be used with -n               | use one of them
schedule list -A -n x                         | -A cannot be used with -n               | use one of them
serve list -A -n x                            | -A cannot be used with -n               | use one of them
submit --time 1h -- true                      | unknown flag --time                     | did you mean "--time-limit"?
submit --ntasks=4 -- true                     | unknown flag --ntasks                   | did you mean "--nodes"?
submit --nproc_per_node 4 -- true             | unknown flag --nproc_per_node           | an argument of the job's command follows "--"
logs x --lines 5                              | unknown flag "--lines"                  | did you mean "--tail"? `kml logs --help` lists all
list --partition gpu                          | unknown flag "--partition"              | see `kml list --help`
submit                                        | no command                              | kml submit …
serve nope                                    | no command                              | kml serve NAME …
list --kubeconfig two --context twoo          | no context "twoo"                       | did you mean "two"? pass another --context; the kubeconfig has one, two
list --kubeconfig two --context two           | no cluster "thre"                       | did you mean "there"? correct context "two" in …
ROWS
echo "$rows rows"
# The error does not mention a default template, which the user did not name.
for command in submit "serve nope"; do
  # shellcheck disable=SC2086
  expect 2 "$KML" $command
  [[ $err != *template* ]] || fail "$command: $err"
done
