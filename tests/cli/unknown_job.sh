. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name trainer --wait -- true
for command in logs status wait cancel delete suspend resume history list; do
  expect 1 "$KML" $command trianer
  contains "$err" 'did you mean "trainer"'
done
expect 0 "$KML" list -o name
[ "$out" = job.batch/trainer ] || fail "$out"
# The name exists, but the labels of -l leave it out.
expect 1 "$KML" list trainer -l team=vision
contains "$err" "job trainer is not listed"
contains "$err" "it does not have the labels of -l team=vision"

# If something other than a job has the name, kml does not suggest a job with a similar name, because the
# user might delete that job.
expect 0 "$KML" submit --name train --every 24h -- true
expect 0 "$KML" sweep run tuner --param lr=1 --trials 1 --maximize score -- sh -c 'echo score={lr}'
cat >steps.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: steps}
spec: {steps: {one: {command: ["true"]}}}
Y
expect 0 "$KML" run steps.yaml --name traine
expect 0 "$KML" serve strainer -- sh -c 'exec python3 -m http.server --bind 127.0.0.1 $PORT'
for command in status wait cancel delete suspend resume eff list; do
  for other in 'train|a schedule|kml schedule delete train' 'train|a schedule|kml schedule resume train' 'tuner|a sweep|kml sweep stop tuner' \
    'traine|a run of a pipeline|kml run stop traine' 'strainer|served by `kml serve`|kml serve stop strainer'; do
    IFS='|' read -r name what fix <<<"$other"
    expect 1 "$KML" $command $name
    contains "$err" "$name is $what"
    contains "$err" "$fix"
    [[ $err != *'did you mean'* ]] || fail "$err"
  done
done
# `kml stop` is not a command. The error says what the name stands for, and how to stop that.
while IFS='|' read -r name what fix; do
  expect 2 "$KML" stop $name
  contains "$err" 'unknown command "stop"'
  contains "$err" "$what"
  contains "$err" "$fix"
done <<'END'
trainer|`kml cancel`|fix: kml cancel trainer
nosuch|`kml cancel`|fix: kml cancel nosuch
|`kml cancel`|fix: kml cancel JOB
a b|`kml cancel`|fix: kml cancel a b
tuner|tuner is a sweep|kml sweep stop tuner
traine|traine is a run of a pipeline|kml run stop traine
strainer|strainer is served|kml serve stop strainer
train|train is a schedule|kml schedule pause train
END
# An alias may be called "stop".
expect 0 "$KML" config alias stop -- cancel
expect 0 "$KML" stop trainer
expect 0 "$KML" config alias --remove stop
expect 1 "$KML" rerun train
contains "$err" "train is a schedule"
contains "$err" "kml schedule run-now train"

# Of a deleted job, only the records on this machine remain.
expect 0 "$KML" submit --name gone --wait -- true
expect 0 "$KML" delete gone
for command in why status cancel list; do
  expect 1 "$KML" $command gone
  contains "$err" "it was deleted"
  contains "$err" "kml history gone"
done

# kml still says that the name is a sweep's after the jobs of the trials are deleted.
expect 0 "$KML" delete -l kml.dev/sweep=tuner
for command in why logs status wait cancel list; do
  expect 1 "$KML" $command tuner
  contains "$err" "tuner is a sweep"
  contains "$err" "kml sweep status tuner"
done
