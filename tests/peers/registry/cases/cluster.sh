# The test cluster's node (KML_CLUSTER) pulls and runs an image that `kml submit --image-append` has made in a real registry.
# The registry runs twice, on the same data and port: on this machine, and in the cluster's network.
[ -n "${KML_CLUSTER:-}" ] || { echo "SKIPPED: KML_CLUSTER names no cluster"; exit 0; }
home=$HOME cache=${XDG_CACHE_HOME:-$HOME/.cache}
. "$SOURCE/tests/cluster/cases/lib.sh"
server() { HOME=$home XDG_CACHE_HOME=$cache "$SOURCE/tests/peers/registry/server" "$@"; }
registry=$cluster_state/registry
mkdir -p "$registry/fake" code
port=$(server up "$registry")
cluster exec env OTEL_TRACES_EXPORTER=none bash -c 'echo $$ >"$1/there"; exec "$2" serve "$1/config.yaml"' - "$registry" "$(server build)" \
  >"$work/there.log" 2>&1 &
mkdir -p root/bin
cp /bin/busybox root/bin/busybox && ln root/bin/busybox root/bin/sh
tar -C root -cf "$registry/fake/base.tar" .
python3 "$SOURCE/tests/support/fake_registry.py" "$registry/fake" & fake=$!
trap 'status=$?; cluster exec kill "$(cat "$registry/there")"; kill $fake; server down "$registry"; rm -rf "$registry"
  cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
eventually cluster exec bash -c ": <>/dev/tcp/127.0.0.1/$port"
eventually test -s "$registry/fake/port"
for word in one two; do
  echo "echo hello $word" >code/train.sh
  expect 0 timeout 300 "$KML" submit --image "localhost:$(cat "$registry/fake/port")/base/busybox:1" --code code \
    --node-selector kubernetes.io/hostname=node1 --image-append "localhost:$port/team/train" --follow -- sh train.sh
  contains "$out" "hello $word"
done
