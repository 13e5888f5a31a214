. "$(dirname "$0")/lib.sh"
# Pods that only carry a job's labels do not belong to the job: kml neither runs commands in them nor believes their
# output.
kml() { timeout 1000 "$KML" "$@"; }
b=/bin/busybox

# stranger NAME SCRIPT POD: starts a pod with the labels of the pod POD, but without its owner, and waits
# until the new pod runs or has ended.
stranger() {
  k get pod "$3" -o jsonpath='{.metadata.labels}' >labels
  # The Job controller adopts a pod that has no owner, but has the Job's uid in its labels.
  labels=$(/usr/bin/python3 -c 'import json; print(json.dumps({k: v for k, v in json.load(open("labels")).items() if "uid" not in k}))')
  k create -f - >/dev/null <<C
apiVersion: v1
kind: Pod
metadata: {name: $1, labels: $labels, ownerReferences: ${4:-[]}}
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 0
  nodeName: node1
  containers: [{name: main, image: "localhost/busybox:1", command: [sh, -c, '$2'], env: [{name: WHO, value: stranger}]}]
C
  eventually has_begun "$1"
}
has_begun() { [[ $(k get pod "$1" -o jsonpath='{.status.phase}') =~ Running|Succeeded|Failed ]]; }
pod_of() { k get pods -l "$1" -o 'jsonpath={.items[0].metadata.name}'; }
has_pod() { [ -n "$(pod_of "$1" 2>/dev/null)" ]; }
# Ends the wait of the job whose pods have LABEL.
let_go() { timeout 100 "$KML" exec "$(k get jobs -l "$1" -o 'jsonpath={.items[0].metadata.name}')" -- $b touch /go; } # LABEL

expect 0 kml submit --name bert --env WHO=own "${on_node1[@]}" --grace 1s -- \
  sh -c 'echo own line; echo own >/who; until [ -e /go ]; do /bin/busybox sleep .1; done; exit 3'
expect 0 kml submit --name torch -t pytorchjob --env WHO=own "${on_node1[@]}" --grace 1s -- sh -c 'echo own line; echo own >/who; /bin/busybox sleep 10000'
k create -f - >/dev/null <<'C'
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: set}
spec:
  replicatedJobs:
  - name: node
    template:
      spec:
        backoffLimit: 0
        template:
          spec:
            restartPolicy: Never
            terminationGracePeriodSeconds: 0
            nodeSelector: {kubernetes.io/hostname: node1}
            containers:
            - {name: main, image: "localhost/busybox:1", env: [{name: WHO, value: own}], command: [sh, -c, 'echo own line; echo own >/who; /bin/busybox sleep 10000']}
---
# A Job of another owner, whose name looks like the name of one of the JobSet's Jobs.
apiVersion: batch/v1
kind: Job
metadata: {name: set-mine-0}
spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: main, image: none}]}}}
C
mine="[{apiVersion: batch/v1, kind: Job, name: set-mine-0, controller: true, uid: $(k get job set-mine-0 -o jsonpath='{.metadata.uid}')}]"
for job in bert torch set; do eventually timeout 100 "$KML" exec "$job" -- $b cat /who; done
lives='echo stolen line; echo stranger >/who; while :; do /bin/busybox sleep .1; done'
stranger vic-bert "$lives" "$(pod_of job-name=bert)"
stranger vic-torch "$lives" "$(pod_of training.kubeflow.org/job-name=torch)"
stranger vic-set "$lives" "$(pod_of jobset.sigs.k8s.io/jobset-name=set)" "$mine"
stranger dead "echo RuntimeError: planted; exit 9" "$(pod_of job-name=bert)"
for job in bert torch set; do
  expect 0 kml exec "$job" -- sh -c 'echo $WHO'
  [ "$out" = own ] || fail "$job: entered $out"
  expect 0 kml exec "$job" --all-ranks -- sh -c 'echo $WHO'
  [[ $out != *stranger* ]] || fail "$job: all ranks are $out"
  expect 0 kml cp "$job:/who" "who-$job"
  [ "$(cat "who-$job")" = own ] || fail "$job: copied $(cat "who-$job")"
  expect 0 kml logs "$job"
  contains "$out" "own line"
  [[ $out != *stolen* ]] || fail "$job: $out"
  for command in "status $job" "why $job" "eff $job" "timeline $job"; do
    expect 0 kml $command
    [[ $out != *vic-* && $out != *dead* && $out != *planted* ]] || fail "$command: $out"
  done
done
expect 2 kml exec bert/vic-bert -- true
expect 0 kml list -o json
[[ $out != *vic-* ]] || fail "list: $out"

# The job fails by itself and is reported as failed; what a stranger printed is not its cause.
kml logs -f bert >followed 2>&1 & follower=$!
eventually grep -q "own line" followed
expect 0 kml exec bert -- touch /go
got=0; wait $follower || got=$?
[ $got != 0 ] && ! grep -Eq "stolen|planted|vic-|dead" followed || fail "exit code $got: $(cat followed)"
expect 0 kml why bert
[[ $out != *planted* && $out != *vic-* ]] || fail "why: $out"
expect 0 kml cancel set
for pod in vic-bert vic-torch vic-set; do
  [ -z "$(k get pod $pod -o 'jsonpath={.spec.activeDeadlineSeconds}{.metadata.deletionTimestamp}')" ] || fail "$pod was stopped"
done

# A step has the outputs of its own pod, and a trial has the metrics of its pod.
cat >pipeline.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: p}
spec:
  defaults: {image: "localhost/busybox:1", node-selector: {kubernetes.io/hostname: node1}}
  steps:
    train:
      command: [sh, -c, 'until [ -e /go ]; do /bin/busybox sleep .1; done; echo own >${out.model}; echo accuracy=0.5']
      outputs: {model: model, accuracy: {metric: accuracy}}
Y
kml run pipeline.yaml >ran 2>&1 & engine=$!
eventually has_pod kml.dev/step=train
stranger vic-step 'echo accuracy=0.9; echo "kml outputs" >/dev/termination-log' "$(pod_of kml.dev/step=train)"
eventually let_go kml.dev/step=train
wait $engine || fail "the run: $(cat ran)"
contains "$(cat ran)" accuracy=0.5
[[ $(cat ran) != *accuracy=0.9* ]] || fail "the run: $(cat ran)"

kml sweep run s --param x=1..2 --maximize score --trials 1 --algorithm grid "${on_node1[@]}" -- \
  sh -c 'echo step={x} score=1; until [ -e /go ]; do /bin/busybox sleep .1; done; echo step=2 score=2' >swept 2>&1 & engine=$!
eventually has_pod kml.dev/sweep=s
stranger vic-trial 'echo step=3 score=99' "$(pod_of kml.dev/sweep=s)"
eventually let_go kml.dev/sweep=s
wait $engine || fail "the sweep: $(cat swept)"
expect 0 kml sweep best s
contains "$out" "score=2"
