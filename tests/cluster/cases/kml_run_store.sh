. "$(dirname "$0")/lib.sh"
# With `kml run --store pvc/NAME`, outputs of any size stay on a volume. If one of them is deleted, it is made again.
kml() { timeout 1000 "$KML" "$@"; }
need_volume shared ReadWriteMany
cat >pipeline.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: stored}
spec:
  params: {n: {type: int, default: 1}}
  defaults: {image: "localhost/busybox:1", node-selector: {kubernetes.io/hostname: node1}}
  steps:
    load:
      command: [sh, -c, 'mkdir ${out.data}; head -c 6000000 /dev/zero >${out.data}/zeros; echo 3 >${out.rows}']
      outputs: {data: folder, rows: value}
    train:
      inputs: {data: load.data, rows: load.rows}
      command: [sh, -c, 'wc -c <${in.data}/zeros >${out.model}; echo ${in.rows} ${params.n} >>${out.model}; touch ${in.data}/x 2>&1 | sed s/^/refused:/']
      outputs: {model: model}
Y
expect 0 kml run pipeline.yaml --store pvc/shared/team
run=$(kml run list -o name)
folder=$volume/team/v1/data/$run
[ "$(cat "$folder/train/0/model")" = $'6000000\n3 1' ] || fail "$(ls -lR "$volume")"
expect 0 kml run logs "$run" train
contains "$out" "refused:touch: /kml/made/team/v1/data/$run/load/0/data/x: Read-only file system"
expect 0 kml run pipeline.yaml --store pvc/shared/team
[ "$(grep -c cached <<<"$out")" = 2 ] || fail "not cached: $out"

# If an output is deleted or changed, its step runs again, and later steps use the new output.
rm -r "$folder/load"
expect 0 kml run pipeline.yaml --store pvc/shared/team -p n=2
contains "$out" "load done"
contains "$out" "train done"
[ "$(cat "$volume"/team/v1/data/stored-*/train/1/model)" = $'6000000\n3 2' ] || fail "$(ls -lR "$volume")"

# Results on a volume are not used for runs without a store, or with another one. The store's name and its claim are
# checked.
expect 0 kml run pipeline.yaml --dry-run -p n=2
[[ "$out" != *HIT* ]] || fail "a hit in another place: $out"
expect 2 kml run pipeline.yaml --store pvc/none
contains "$err" 'no volume claim "none" for --store'
expect 2 kml run pipeline.yaml --store shared
contains "$err" "pvc/NAME"
expect 2 kml run pipeline.yaml --store pvc/shared/../x
expect 2 kml --context local run pipeline.yaml --store pvc/shared
contains "$err" "is for clusters"

# A file or folder of this machine that a step reads is copied to the volume, each content once.
mkdir -p files/sub
head -c 5000000 /dev/urandom >words.bin
echo one >files/a; echo two >files/sub/b
cat >path.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: path}
spec:
  params: {n: {type: int, default: 1}}
  defaults: {image: "localhost/busybox:1", node-selector: {kubernetes.io/hostname: node1}}
  steps:
    read:
      inputs: {words: {path: words.bin}, files: {path: files}}
      command: [sh, -c, '/bin/busybox sha256sum ${in.words} >${out.all}; cat ${in.files}/a ${in.files}/sub/b >>${out.all}; echo ${params.n} >>${out.all}']
      outputs: {all: file}
Y
expect 0 kml run path.yaml --name p1 --store pvc/shared/team
sum=$(sha256sum words.bin | cut -c1-64)
all() { sed 's/ .*//' "$volume/team/v1/data/$1/read/0/all"; }
[ "$(all p1)" = "$sum"$'\none\ntwo\n1' ] || fail "$(all p1)"
[ "$(ls "$volume/team/v1/inputs" | wc -l)" = 2 ] || fail "$(ls -R "$volume/team/v1/inputs")"
copies() { stat -c '%i %y' "$volume"/team/v1/inputs/*/data; }
first=$(copies)
expect 0 kml run path.yaml --name p2 --store pvc/shared/team -p n=2
[ "$(all p2)" = "$sum"$'\none\ntwo\n2' ] || fail "$(all p2)"
[ "$(copies)" = "$first" ] || fail "it was copied again: $(copies), before $first"
rm -r "$volume/team/v1/inputs"
echo three >files/sub/b
expect 0 kml run path.yaml --name p3 --store pvc/shared/team
[ "$(all p3)" = "$sum"$'\none\nthree\n1' ] || fail "$(all p3)"
copied() { ! k get pods -o name | grep kml-cp; }
eventually copied

# An artifact on this machine is also copied; its content is already on the volume.
expect 0 kml --context local artifact put words=words.bin
sed 's/path: words.bin/artifact: words/' path.yaml >artifact.yaml
kml trust artifact.yaml >/dev/null 2>&1 # because it sends an artifact
first=$(copies)
expect 0 kml run artifact.yaml --name p4 --store pvc/shared/team -p n=4
[ "$(all p4)" = "$sum"$'\none\nthree\n4' ] || fail "$(all p4)"
[ "$(copies)" = "$first" ] || fail "it was copied again: $(copies), before $first"

# If a pod is removed after its step has succeeded, but before kml reads its report, the step runs again.
cat >lost.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: lost}
spec:
  defaults: {image: "localhost/busybox:1", node-selector: {kubernetes.io/hostname: node1}}
  steps:
    make:
      command: [sh, -c, 'echo 1 >$0; until [ -e /kml/store/go ]; do sleep 0.2; done', "${out.one}"]
      outputs: {one: file}
Y
"$KML" run lost.yaml --name lost --store pvc/shared/team >lost.out 2>&1 &
engine=$!
eventually k get job lost-make
kill -STOP $engine
: >"$volume/go"
eventually k wait job/lost-make --for=condition=Complete --timeout=10s
k delete pods -l kml.dev/run=lost >/dev/null
kill -CONT $engine
wait $engine || fail "$(cat lost.out)"
[ -n "$(k get job lost-make-r1 -o name)" ] || fail "it did not run again: $(cat lost.out)"
[ "$(cat "$volume/team/v1/data/lost/make/1/one")" = 1 ] || fail "$(ls -R "$volume/team/v1/data/lost")"
