. "$(dirname "$0")/lib.sh"

# On this machine, folders may be relative, as in any program.
mkdir -p data project/src
echo "seven" >data/seven
expect 0 "$KML" submit --follow --chdir data -- cat seven
contains "$out" "seven"
expect 0 "$KML" submit --follow --mount "$work/data:$work/data:ro" -- cat "$work/data/seven"
contains "$out" "seven"
expect 0 "$KML" submit --dry-run --mount ./data:/data -- cat /data/seven
contains "$out" "path: $work/data"
if unshare --user --mount true 2>/dev/null; then
  expect 0 "$KML" submit --follow --mount ./data:/data -- cat /data/seven
  contains "$out" "seven"
fi
# In kml.yaml, folders are relative to the file's folder. A folder outside it needs the user's trust.
echo 'mounts: ["./src:/src"]' >project/kml.yaml
(cd project/src && expect 0 "$KML" submit --dry-run -- ls /src && contains "$out" "path: $work/project/src")
echo 'mounts: ["../data:/data"]' >project/kml.yaml
(cd project && expect 2 "$KML" submit --dry-run -- ls /data && contains "$err" "mounts a folder outside the folder of kml.yaml")

expect 2 "$KML" submit --mount ./nowhere:/data -- true
contains "$err" "--mount ./nowhere:/data is not a folder"
expect 2 "$KML" submit --chdir data/seven -- true
contains "$err" "--chdir data/seven is not a folder"

# With --code, folders are relative to the code.
mkdir -p code/lib
echo 'echo from the code' >code/lib/run.sh
expect 0 "$KML" submit --dry-run --code code --chdir lib -- sh run.sh
contains "$out" "workingDir: /kml/code/lib"

# These folders are only on this machine, so a job on a cluster cannot use them.
cat >kubeconfig <<EOF
apiVersion: v1
kind: Config
clusters: [{name: far, cluster: {server: "http://127.0.0.1:1"}}]
contexts: [{name: far, context: {cluster: far, user: me}}]
users: [{name: me, user: {}}]
current-context: far
EOF
export KUBECONFIG=$work/kubeconfig
expect 2 "$KML" --context far submit --dry-run --image any --mount ./data:/data -- true
contains "$err" "--mount ./data:/data is a folder on this machine"
contains "$err" "pvc/NAME:/data"
expect 2 "$KML" --context far submit --dry-run --image any --chdir data -- true
contains "$err" "--chdir data is a folder on this machine"
