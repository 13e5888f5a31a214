. "$(dirname "$0")/../lib.sh"
# A RayJob, without Ray: its cluster's pods run, but no dashboard answers.
kinds=pods,jobs,rayjobs,rayclusters
cat >rj.yaml <<'C'
apiVersion: ray.io/v1
kind: RayJob
metadata: {name: rj}
spec:
  entrypoint: python train.py
  shutdownAfterJobFinishes: true
  rayClusterSpec:
    rayVersion: 2.46.0
    headGroupSpec:
      rayStartParams: {}
      template:
        metadata: {annotations: {kwok/run-for: 1h}}
        spec:
          nodeSelector: {type: kwok}
          containers: [{name: head, image: localhost/busybox:1}]
    workerGroupSpecs:
    - groupName: gpu
      replicas: 2
      minReplicas: 2
      maxReplicas: 2
      rayStartParams: {}
      template:
        metadata: {annotations: {kwok/run-for: 1h}}
        spec:
          nodeSelector: {type: kwok}
          containers: [{name: worker, image: localhost/busybox:1, resources: {limits: {nvidia.com/gpu: 4}}}]
C
check_runs "submit --dry-run=server" 0 "$KML" submit --dry-run=server -f rj.yaml
check_runs "submit -f" 0 "$KML" submit -f rj.yaml
of=ray.io/is-ray-node
eventually are $of=yes "3 Running"
# The Job that submits the program is only a part of the RayJob.
submitter_ended() { k wait job/rj --for=condition=Complete --timeout=1s; }
soon 60 submitter_ended || true
check_says "list" "one job, Running, 8 GPUs" '^Running [0-9]+/[0-9]+ 8$' "$(listed rj)"
check "rows of list" 1 "$(say list --no-headers | grep -c rj)"
check_says "queue" "one row, 8 GPUs" 'rayjob/rj .* 8 ' "$(say queue --no-headers)"
check_runs "why" 0 "$KML" why rj
check_runs "status" 0 "$KML" status rj
check_runs "cancel" 0 "$KML" cancel rj
free() { [ -z "$(k get pods -l $of=yes -o name)" ]; }
soon 60 free || true
check "GPUs of its cluster, cancelled" "free" "$(free && echo free || echo "$(phases $of=yes)")"
check "list, cancelled" Cancelled "$(listed rj | cut -d' ' -f1)"
k delete rayjobs --all >/dev/null 2>&1 || true
sed 's/rayVersion.*/rayVersion: 2.46.0\n    headGroupSpecs: {}/' rj.yaml >bad.yaml
check_says "an unknown field" "it is named" 'headGroupSpecs' "$(say submit --dry-run=server -f bad.yaml)"
