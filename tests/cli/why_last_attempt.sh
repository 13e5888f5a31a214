# A failed job's cause is the same in submit --wait, list, status, why and history: the failure of its last attempt.
. "$(dirname "$0")/lib.sh"
# The retries are used up as soon as the container restarts. The restarted program may exit by itself, or is
# stopped with its job while it sleeps.
for program in 'exit 6' 'test -e stopped.again && sleep 60; touch stopped.again; exit 6'; do
  [[ $program == exit* ]] && job=restarts || job=stopped
  cat >retry.yaml <<Y
apiVersion: batch/v1
kind: Job
metadata: {name: $job}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: OnFailure
      containers: [{name: main, image: local, command: [sh, -c, "$program"]}]
Y
  expect 3 "$KML" submit -f retry.yaml --wait
  contains "$err" "exit code 6"
  for command in list status why history; do
    [ $command = history ] && expect 0 "$KML" history || expect 0 "$KML" $command $job
    contains "$out" "exit code 6"
    [[ $out != *"stopped with its job"* && $out != *"code 143"* ]] || fail "$command: $out"
  done
done
expect 3 "$KML" submit --name tries --retries 1 --wait -- sh -c 'test -e second && exit 4; touch second; exit 3'
for command in list status why; do
  expect 0 "$KML" $command tries
  contains "$out" "exit code 4"
done
contains "$out" "the first attempt: exit code 3"
expect 0 "$KML" logs tries --first-error
contains "$out" "died first: exit code 4"
expect 3 "$KML" logs -f tries --first-error
contains "$out" "died first: exit code 4"
expect 4 "$KML" logs -f tries --propagate-exit

# If a rank has used up its retries, the job fails with the exit code of that rank.
expect 3 "$KML" submit --name ranks --nodes 2 --retries 1 --grace 1s --wait -- sh -c '[ $JOB_COMPLETION_INDEX = 1 ] && exit 5; exec sleep 100'
for command in list status why; do
  expect 0 "$KML" $command ranks
  contains "$out" "exit code 5"
  [[ $out != *"tasks failed"* ]] || fail "$command: $out"
done

# submit --wait, list, status and why describe a signal in the same words.
expect 3 "$KML" submit --name killed --wait -- sh -c 'kill -9 $$'
contains "$err" "exit code 137 (signal 9)"
for command in list status why; do
  expect 0 "$KML" $command killed
  contains "$out" "exit code 137 (signal 9)"
  [[ $out != *"as after"* ]] || fail "$command: $out"
done

# If a script lacks its #! line, each command names both possible causes.
printf 'echo hello\n' >script
chmod +x script
expect 3 "$KML" submit --name script --wait -- ./script
contains "$err" "for another processor, or a script without #!"
expect 0 "$KML" list script
contains "$out" "for another processor, or a script without #!"
expect 0 "$KML" why script
contains "$out" "or is a script without a first line such as #!/bin/sh"
