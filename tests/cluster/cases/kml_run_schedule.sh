. "$(dirname "$0")/lib.sh"
# Schedules of pipelines on a cluster: the job of each start is the engine of a run. A start by hand, one whose pod is
# killed, and one by the clock. What has not changed does not run again; the run goes with its job.
kml() { timeout 150 "$KML" "$@"; }
need_engine_image
need_volume runs ReadWriteMany
mkdir -p here/lib && cd here
echo '{image: "localhost/busybox:1", node-selector: {kubernetes.io/hostname: node1}}' >kml.yaml
kml trust >/dev/null 2>&1
echo 'cat words.txt >"$1"' >lib/load.sh
echo one >lib/words.txt
cat >pipeline.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: nightly}
spec:
  params: {who: {default: ana}}
  steps:
    load:
      code: lib
      command: [sh, load.sh, '${out.data}']
      outputs: {data: dataset}
    report:
      inputs: {data: load.data}
      command: [sh, -c, 'echo "${params.who} ${run.scheduled} $(cat ${in.data})"; sleep 2']
Y
there=(--in-cluster --engine-image "$image" --store pvc/runs)
expect 2 kml run pipeline.yaml --cron '0 3 1 1 *'
contains "$err" "need --in-cluster"
expect 0 kml run pipeline.yaml --cron '0 3 1 1 *' --tz UTC -p who=ben "${there[@]}"
contains "$out" "schedule nightly created"
contains "$err" "first start: 20"
expect 1 kml run pipeline.yaml --cron '0 3 1 1 *' "${there[@]}"
contains "$err" "already exists"
cd .. && mv here elsewhere # from here on, the runs need neither files nor state of this machine
export XDG_STATE_HOME=$work/other-state

# A person starts it. Its pod is killed while the second step runs, and the next pod continues.
expect 0 kml schedule run-now nightly
run=$(sed -n 's/^job \(nightly-[a-z0-9]*\) started$/\1/p' <<<"$out")
begun() { [ -n "$(k get pods -l "kml.dev/run=$run,kml.dev/step=report" -o name)" ]; }
eventually begun
k delete pod -l "job-name=$run" --field-selector status.phase=Running --force --grace-period=0 >/dev/null 2>&1 || true
expect 0 kml wait "$run"
expect 0 kml run status "$run"
contains "$out" "$run  succeeded"
expect 0 kml run logs "$run" report
[[ "$out" =~ ben\ 20[0-9-]+T[0-9:]+Z\ one ]] || fail "$out"
expect 0 kml run logs "$run" --engine
contains "$out" "report done"
[ "$(k get jobs -l "kml.dev/run=$run" -o name | wc -l)" = 2 ] || fail "$(k get jobs)"

# By the clock, once: the time in the step is the scheduled one, and the first step does not run again.
cd elsewhere
expect 0 kml run pipeline.yaml --name later --at +20s --tz UTC -p who=eva "${there[@]}"
at=$(sed -n 's/.*starts once: \([^ ]*\) \(.*\) (UTC).*/\1T\2:00Z/p' <<<"$err")
job_of_clock() { k get jobs -l kml.dev/schedule=later -o 'jsonpath={.items[*].metadata.name}'; }
by_clock() { [ -n "$(job_of_clock)" ]; }
eventually by_clock
expect 0 kml wait "$(job_of_clock)"
expect 0 kml run status "$(job_of_clock)"
contains "$out" "cached"
expect 0 kml run logs "$(job_of_clock)" report
contains "$out" "eva $at one"
expect 0 kml schedule list
[[ "$out" =~ later\ +once\ +UTC\ +- ]] || fail "$out"

# With the schedule go its runs, but neither the jobs of their steps nor what is on the volume.
expect 0 kml schedule delete nightly later
gone() {
  [ -z "$(k get cronjobs,configmaps,secrets,roles,rolebindings,serviceaccounts -o name | grep -e nightly -e later)" ] &&
    [ -z "$(k get jobs -l '!kml.dev/run' -o name)" ]
}
eventually gone
