# `kml cp` reaches a volume claim, and the claims of a finished job, through a pod that it starts and removes.
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cli/local_server.sh"
unshare --user --map-root-user --mount true 2>/dev/null || { echo "no namespaces here: skipped"; exit 0; }
cat >claim.yaml <<'Y'
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: runs}
spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}
Y
expect 0 "$KML" submit -f claim.yaml
expect 0 "$KML" submit --image none --name over --mount pvc/runs/over:/out --wait -- sh -c 'mkdir /out/model; echo data >/out/model/file; echo gone >/tmp/gone-of-over'
no_pod() { ! api "$url/api/v1/namespaces/default/pods" | grep -q kml-cp; }
mkdir here

expect 0 timeout 1000 "$KML" cp over:/out/model here
contains "$err" "starting pod kml-cp-"
contains "$err" "which mounts claim runs"
[ "$(cat here/model/file)" = data ] || fail "from a job that has ended"
eventually no_pod
expect 0 timeout 1000 "$KML" cp pvc/runs/over/model/file here/
[ "$(cat here/file)" = data ] || fail "from a claim"
echo new >here/file
expect 0 timeout 1000 "$KML" cp here/file here/model pvc/runs/over
eventually no_pod
expect 0 timeout 1000 "$KML" cp over:/out/file here/again
[ "$(cat here/again)" = new ] || fail "to a claim"

expect 1 timeout 1000 "$KML" cp over:/tmp/gone-of-over here
contains "$err" "/tmp/gone-of-over is not on a volume claim that kml can mount"
expect 1 timeout 1000 "$KML" cp pvc/runs/nothing here
contains "$err" "no file or folder pvc/runs:nothing"
eventually no_pod
expect 1 timeout 1000 "$KML" cp pvc/other/file here
contains "$err" 'no volume claim "other"'
contains "$err" "kml list claims"
