. "$(dirname "$0")/lib.sh"
# `kml run --store` with a volume that only one node can mount: parallel steps start on the same node, without a node
# selector that names it.
kml() { timeout 1000 "$KML" "$@"; }
need_volume shared ReadWriteOnce
cat >pipeline.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: near}
spec:
  defaults: {image: "localhost/busybox:1"}
  steps:
    a: {command: [sh, -c, 'sleep 2; echo a >${out.text}'], outputs: {text: file}}
    b: {command: [sh, -c, 'sleep 2; echo b >${out.text}'], outputs: {text: file}}
    both:
      inputs: {a: a.text, b: b.text}
      command: [sh, -c, 'cat ${in.a} ${in.b} >${out.text}']
      outputs: {text: file}
Y
expect 0 kml run pipeline.yaml --store pvc/shared --name n
[ "$(cat "$volume/v1/data/n/both/0/text")" = $'a\nb' ] || fail "$(ls -lR "$volume")"
uid=$(k get pvc shared -o jsonpath='{.metadata.uid}')
[ "$(k get pods -l "kml.dev/volume=$uid" -o jsonpath='{.items[*].spec.nodeName}')" = "node1 node1 node1" ] || fail "$(k get pods -o wide)"
[ "$(k get pods -o jsonpath='{.items[*].spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchLabels.kml\.dev/volume}')" = "$uid $uid $uid" ] || fail "$(k get pods -o yaml)"
