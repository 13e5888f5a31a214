. "$(dirname "$0")/lib.sh"
# Runs sweeps on a real cluster: with metrics from the kubelet's logs, a killed engine, a Katib Experiment, and trials
# of other kinds.
sweep() { "$KML" sweep "$@"; }
run() {
  sweep run s1 --param x=1..6 --maximize score --trials 6 --parallel 3 --algorithm grid "${on_node1[@]}" --grace 1s -- \
    sh -c 'echo step=1 score=0; /bin/busybox sleep 1; echo step=2 score={x}'
}
run >out 2>&1 &
engine=$!
begun() { [ "$(k get jobs -l kml.dev/sweep=s1 -o name | wc -l)" -ge 2 ]; }
eventually begun
pkill -9 -P $engine || true
wait $engine || true
expect 0 run
contains "$err" "best: x=6"
[ "$(k get jobs -l kml.dev/sweep=s1 -o name | wc -l)" = 6 ] || fail "$(k get jobs)"
expect 0 sweep replay s1
contains "$out" "6 proposals, 0 differ"

cat >experiment.yaml <<'C'
apiVersion: kubeflow.org/v1beta1
kind: Experiment
metadata: {name: random}
spec:
  objective: {type: minimize, objectiveMetricName: loss}
  algorithm: {algorithmName: random}
  parallelTrialCount: 2
  maxTrialCount: 3
  parameters:
    - {name: lr, parameterType: double, feasibleSpace: {min: "0.01", max: "0.05"}}
  trialTemplate:
    primaryContainerName: pytorch
    trialParameters: [{name: learningRate, reference: lr}]
    trialSpec:
      apiVersion: kubeflow.org/v1
      kind: PyTorchJob
      spec:
        pytorchReplicaSpecs:
          Master:
            replicas: 1
            restartPolicy: Never
            template:
              spec:
                nodeSelector: {kubernetes.io/hostname: node1}
                containers: [{name: pytorch, image: "localhost/busybox:1", command: [sh, -c, "echo loss=${trialParameters.learningRate}"]}]
C
expect 0 sweep run -f experiment.yaml
contains "$err" "all 3 trials are done"
expect 0 sweep best random
contains "$out" "loss=0.0"

# The metric is in the termination message.
expect 0 sweep run last --param x=1..2 --maximize score --algorithm grid "${on_node1[@]}" -- \
  sh -c 'printf "score={x}0" >/dev/termination-log'
contains "$err" "best: x=2"
expect 0 sweep best last
contains "$out" "score=20"

# A trial that could never run is rejected before the sweep starts.
expect 1 sweep run refused --param x=1..6 --maximize score --priority no-such-class "${on_node1[@]}" -- sh -c 'echo {x}'
contains "$err" "no-such-class"

# Trials of kinds that kml does not know. Their controllers are not here: a loop creates the pod of each object and
# writes the status that the controllers would write.
crd() { # GROUP VERSION KIND PLURAL
  cat <<C
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: $4.$1}
spec:
  group: $1
  scope: Namespaced
  names: {kind: $3, plural: $4, singular: ${3,,}}
  versions:
    - name: $2
      served: true
      storage: true
      subresources: {status: {}}
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
C
}
{ crd argoproj.io v1alpha1 Workflow workflows; crd kubeflow.org v1 TFJob tfjobs; } | cluster kubectl apply -f - >/dev/null
served() { k get workflows,tfjobs; }
eventually served
cat >operate.py <<'P'
# Reads lists of the objects and of the pods. Prints the pods to create, or (status) the statuses to write, one per
# line.
import json, sys
objects, pods = (json.load(open(name))["items"] for name in ("objects.json", "pods.json"))
phases = {p["metadata"]["name"]: p.get("status", {}).get("phase") for p in pods}
for object in objects:
    name, kind, spec = object["metadata"]["name"], object["kind"], object["spec"]
    if kind == "Workflow":
        template = spec["templates"][-1]
        labels = {**spec["podMetadata"]["labels"], **template["metadata"]["labels"], "workflows.argoproj.io/workflow": name}
        pod = {"containers": [{"name": "wait", "image": "localhost/busybox:1", "command": ["sh", "-c", "echo loss=0"]}, dict(template["container"], name="main")]}
    else:
        template = spec["tfReplicaSpecs"]["Worker"]["template"]
        labels = {**template["metadata"]["labels"], "training.kubeflow.org/job-name": name,
                  "training.kubeflow.org/replica-type": "worker", "training.kubeflow.org/replica-index": "0"}
        pod = template["spec"]
    pod.update(restartPolicy="Never", nodeSelector={"kubernetes.io/hostname": "node1"})
    phase = phases.get(name + "-main", "none")
    if phase == "none" and sys.argv[1] == "pods":
        owner = dict(apiVersion=object["apiVersion"], kind=kind, name=name, uid=object["metadata"]["uid"], controller=True)
        print(json.dumps(dict(apiVersion="v1", kind="Pod", spec=pod, metadata=dict(name=name + "-main", labels=labels, ownerReferences=[owner]))))
    if phase in ("Succeeded", "Failed") and "status" not in object and sys.argv[1] == "status":
        condition = dict(type=phase, status="True", reason="Test", message="the worker ended")
        status = dict(phase=phase, message="the step ended") if kind == "Workflow" else dict(conditions=[condition])
        print(kind.lower() + "/" + name, json.dumps(dict(status=status)))
P
operate() {
  until [ -e stop ]; do
    k get workflows,tfjobs -o json >objects.json && k get pods -o json >pods.json
    python3 operate.py pods >new.json && { [ ! -s new.json ] || k create -f new.json; }
    python3 operate.py status | while read -r object status; do k patch "$object" --subresource=status --type=merge -p "$status"; done
    sleep 0.2
  done
}
operate >operate.log 2>&1 &
operator=$!
kinds() { # NAME CONDITIONS KIND SPEC
  cat <<C
apiVersion: kubeflow.org/v1beta1
kind: Experiment
metadata: {name: $1}
spec:
  objective: {type: minimize, objectiveMetricName: loss}
  algorithm: {algorithmName: grid}
  parallelTrialCount: 3
  maxTrialCount: 3
  parameters: [{name: x, parameterType: int, feasibleSpace: {min: "1", max: "3"}}]
  trialTemplate:
    trialParameters: [{name: value, reference: x}]
    $2
    trialSpec: {$3, spec: $4}
C
}
main='image: localhost/busybox:1, command: [sh, -c, "echo loss=${trialParameters.value}; [ ${trialParameters.value} != 3 ]"]'
kinds flows 'primaryPodLabels: {step: train}
    primaryContainerName: main
    successCondition: status.[@this].#(phase=="Succeeded")#
    failureCondition: status.[@this].#(phase=="Failed")#' 'apiVersion: argoproj.io/v1alpha1, kind: Workflow' \
  "{templates: [{name: train, metadata: {labels: {step: train}}, container: {name: train, $main}}]}" >flows.yaml
expect 0 "$KML" sweep run -f flows.yaml
contains "$err" "best loss 1 (trial 0)"
expect 0 sweep status flows
contains "$out" "exit code 1"
kinds tfjobs '' 'apiVersion: kubeflow.org/v1, kind: TFJob' \
  "{tfReplicaSpecs: {Worker: {replicas: 1, template: {spec: {containers: [{name: tensorflow, $main}]}}}}}" >tfjobs.yaml
expect 0 "$KML" sweep run -f tfjobs.yaml
contains "$err" "best loss 1 (trial 0)"
expect 0 sweep delete flows
[ -z "$(k get workflows -o name)" ] || fail "$(k get workflows)"
[ "$(k get tfjobs -o name | wc -l)" = 3 ] || fail "$(k get tfjobs)"
sed 's/kind: TFJob/kind: PaddleJob/; s/name: tfjobs/name: paddle/' tfjobs.yaml >paddle.yaml
expect 2 "$KML" sweep run -f paddle.yaml
contains "$err" "PaddleJob"
expect 0 sweep list
[[ $out != *paddle* ]] || fail "it has begun: $out"
touch stop
wait $operator
