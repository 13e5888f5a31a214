# If kml's process for a pod is killed, the commands below say so in the same words, and a job that `kml submit` made is
# started again.
. "$(dirname "$0")/lib.sh"
parent() { awk '{print $4}' "/proc/$1/stat"; }
# program SECONDS: the process of `sleep SECONDS`, whose parent's parent is kml's process for the pod
program() {
  local folder
  for folder in /proc/[0-9]*; do
    [ "$({ tr '\0' ' ' <"$folder/cmdline"; } 2>/dev/null)" != "sleep $1 " ] || echo "${folder#/proc/}"
  done
}
runs() { [ -n "$(program "$1")" ]; }
# kill_shim SECONDS: kills kml's process for the pod that runs `sleep SECONDS`
kill_shim() {
  eventually runs "$1"
  own=$(program "$1")
  shim=$(parent "$(parent "$own")")
  [[ $(tr '\0' ' ' <"/proc/$shim/cmdline") == *" shim "* ]] || fail "process $shim is not kml's"
  kill -9 "$shim"
}
words="kml's process for this pod was killed"
cat >plain.yaml <<'Y'
apiVersion: batch/v1
kind: Job
metadata: {name: plain}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: local, command: [sleep, "1000.5"]}]
Y
expect 0 "$KML" submit -f plain.yaml
kill_shim 1000.5
expect 3 "$KML" wait plain
contains "$err" "job plain failed after "
contains "$err" ": $words"
for command in "list -a" "status plain" "why plain" "history plain" "history" "logs plain --first-error"; do
  # shellcheck disable=SC2086
  expect 0 "$KML" $command
  contains "$out" "$words"
  [[ $out != *SupervisorLost* && $out != *"stopped by the cluster"* ]] || fail "$command: $out"
done
expect 0 "$KML" why plain
contains "$out" "by a signal, for lack of memory, or because the machine was restarted"
contains "$out" "kml rerun plain"

# A job of kml is started again.
expect 0 "$KML" submit --name usual -- sleep 1000.25
kill_shim 1000.25
first=$own
again() { runs 1000.25 && [ "$(program 1000.25)" != "$first" ]; }
eventually again
expect 0 "$KML" history usual
contains "$out" "$words"
expect 0 "$KML" why usual
contains "$out" "job usual: Running"
contains "$out" "also"
contains "$out" "$words"
expect 0 "$KML" cancel usual
