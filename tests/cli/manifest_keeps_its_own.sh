. "$(dirname "$0")/lib.sh"
# Defaults from kml.yaml apply to templates. A manifest gets no defaults; only flags,
# and kml's own labels and annotations, change it.
echo '{image: "default:1", cpu: 2, env: {TZ: UTC}}' >kml.yaml
echo '{apiVersion: v1, kind: Pod, metadata: {name: one}, spec: {containers: [{name: main, image: "own:1"}]}}' >pod.yaml
expect 0 "$KML" submit --dry-run -- true
contains "$out" "image: default:1"
expect 0 "$KML" submit --dry-run -f pod.yaml --memory 1Gi
contains "$out" "image: own:1"
contains "$out" "memory: 1Gi"
[[ "$out" != *"name: TZ"* ]] || fail "a default got into the manifest: $out"
