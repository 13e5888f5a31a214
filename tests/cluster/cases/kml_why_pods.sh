. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cluster/cases/why_lib.sh"
# kml why: causes that keep a scheduled pod from running, and how jobs ended, on the real node.
drop_volume() { cluster kubectl delete persistentvolume "$namespace" --ignore-not-found --wait=false >/dev/null; }
drop_volume
trap 'status=$?; drop_volume; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
submit() { expect 0 "$KML" submit --no-check --name "$1" "${on_node1[@]}" --grace 1s "${@:2}"; } # NAME FLAG... -- COMMAND...

# Starts a registry that has no images and denies access to private ones.
registry=$(cat <<'C'
import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path
        code = 200 if path == "/v2/" else 401 if "private" in path else 404
        self.send_response(code)
        self.end_headers()
    do_HEAD = do_GET
C
)
serve_http "$registry"
at=localhost:${server#*:}

expect 0 "$KML" submit --name no-image --image "$at/team/missing:1" --node-selector kubernetes.io/hostname=node1 -- true
expect 0 "$KML" submit --name private --image "$at/private/model:1" --node-selector kubernetes.io/hostname=node1 -- true
submit bad-name --set 'spec.template.spec.containers[0].image=team/UPPER:1' -- true
submit no-secret --set 'spec.template.spec.containers[0].envFrom=[{"secretRef": {"name": "token"}}]' -- sh -c :
submit no-config --set 'spec.template.spec.containers[0].envFrom=[{"configMapRef": {"name": "settings"}}]' -- true
submit no-volume --mount pvc/data:/data -- sh -c :
submit mounts-secret --mount secret/keys:/keys -- true
again() { # NAME CONTAINERS...: a job whose containers are restarted in place
  k create -f - >/dev/null <<C
apiVersion: batch/v1
kind: Job
metadata: {name: $1}
spec:
  backoffLimit: 20
  template: {spec: {restartPolicy: OnFailure, nodeSelector: {kubernetes.io/hostname: node1}, $2}}
C
}
again crashes 'containers: [{name: main, image: "localhost/busybox:1", command: [sh, -c, "exit 7"]}]'
again init-fails 'containers: [{name: main, image: "localhost/busybox:1"}],
    initContainers: [{name: fetch, image: "localhost/busybox:1", command: [sh, -c, "exit 1"]}]'
submit no-command -- /nowhere/python train.py
submit exits -- sh -c 'exit 3'
submit slow --time-limit 1s -- /bin/busybox sleep 1000
submit paused -- /bin/busybox sleep 1000
expect 0 "$KML" suspend paused
submit indexes --array 0-3 --set spec.backoffLimitPerIndex=0 -- sh -c '[ "$JOB_COMPLETION_INDEX" != 2 ]'
submit rule --set 'spec.podFailurePolicy={"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}]}' -- sh -c 'exit 42'
submit done -- sh -c :

says no-image image-missing "$at/team/missing:1 does not exist"
says private image-forbidden "--pull-secret"
says bad-name image-name-invalid
says no-secret secret-missing "Secret token does not exist in namespace $namespace"
says no-config config-map-missing "ConfigMap settings"
says no-volume volume-missing "volume claim data does not exist"
says mounts-secret secret-missing "Secret keys"
says crashes crash-loop "exit code 7"
says init-fails init-container-fails "init container fetch"
says no-command command-cannot-run
says exits exit-code "pod exits-"
says slow time-limit "its time limit of 1s was reached"
says paused suspended "kml resume paused"
says indexes indexes-failed "task 2 failed"
says rule policy-rule "exit code 42"
says done succeeded

# The command that kml prints solves the problem.
remedy no-secret "echo '{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"token\"},\"stringData\":{\"KEY\":\"VALUE\"}}'"
says no-secret succeeded
remedy paused "kml resume"
runs paused
cluster kubectl create -f - >/dev/null <<C
apiVersion: v1
kind: PersistentVolume
metadata: {name: $namespace}
spec:
  accessModes: [ReadWriteOnce]
  capacity: {storage: 10Gi}
  claimRef: {namespace: $namespace, name: data}
  hostPath: {path: /tmp/$namespace, type: DirectoryOrCreate}
C
remedy no-volume "echo"
says no-volume succeeded

k create -f - >/dev/null <<'C'
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: unbound}
spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 5Gi}}}
C
submit unbound --mount pvc/unbound:/data -- true
says unbound volume-pending "volume claim unbound (5Gi, storage class fast) is not bound"

# For an unknown job, kml prints the nearest name.
expect 1 "$KML" why no-imag
contains "$err" 'did you mean "no-image"?'
