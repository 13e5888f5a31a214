. "$(dirname "$0")/lib.sh"
# The node pulls and runs an image that kml has made from a base with one layer, and another layer with code.
folder=$cluster_state/$namespace
mkdir -p "$folder/registry" "$folder/code" root/bin
trap 'status=$?; cluster exec kill "$(cat "$folder/pid")" || true; rm -rf "$folder"
  cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
cp /bin/busybox root/bin/busybox && ln root/bin/busybox root/bin/sh
tar -C root -cf "$folder/registry/base.tar" .
cp "$SOURCE/tests/support/fake_registry.py" "$folder"
cluster exec bash -c 'echo $$ >"$1/pid"; exec python3 "$1/fake_registry.py" "$1/registry"' - "$folder" 2>"$work/registry.log" &
eventually test -s "$folder/registry/port"
at=localhost:$(cat "$folder/registry/port")
echo 'echo "hello from $(pwd)"' >"$folder/code/train.sh"
expect 0 cluster exec env HOME="$folder" "$KML" image append "$at/base/busybox:1" --code "$folder/code" --tag "$at/team/train"
image=$(tail -1 <<<"$out")
contains "$image" "@sha256:"
expect 0 timeout 1000 "$KML" submit --image "$image" --node-selector kubernetes.io/hostname=node1 --follow -- sh train.sh
contains "$out" "hello from /kml/code"
