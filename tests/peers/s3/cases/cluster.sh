# `kml run --store s3://…` on the test cluster (KML_CLUSTER): pods copy their inputs from the bucket and their outputs to it,
# with keys from a Secret. They reach the server at a different address than kml does: over the node's bridge.
[ -n "${KML_CLUSTER:-}" ] || { echo "SKIPPED: KML_CLUSTER names no cluster"; exit 0; }
home=$HOME cache=${XDG_CACHE_HOME:-$HOME/.cache}
. "$SOURCE/tests/cluster/cases/lib.sh"
kml() { timeout 100 "$KML" "$@"; }
# The cluster's own mounts hide /tmp except for its state, so the server there keeps its data in the state folder.
s3=$cluster_state/s3
mkdir -p "$s3"
server() { HOME=$home XDG_CACHE_HOME=$cache "$SOURCE/tests/peers/s3/server" "$@"; }
gateway=$(server build)
eval "$(server up "$s3")"
port=${AWS_ENDPOINT_URL##*:}
mkdir -p "$s3/buckets/made"
cluster exec "$gateway" --port "10.88.0.1:$port" --access tester --secret tester-secret --quiet posix --sidecar "$s3/sidecar" "$s3/buckets" >"$work/there.log" 2>&1 &
there=$!
trap 'status=$?; kill $there; server down "$s3"; rm -rf "$s3"
  cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
eventually cluster exec bash -c ": <>/dev/tcp/10.88.0.1/$port"
k create secret generic bucket --from-literal=AWS_ACCESS_KEY_ID=tester --from-literal=AWS_SECRET_ACCESS_KEY=tester-secret \
  --from-literal=AWS_ENDPOINT_URL=http://10.88.0.1:$port >/dev/null
head -c 20000000 /dev/urandom >words.bin
cat >p.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: bucket}
spec:
  params: {n: {type: int, default: 1}}
  defaults: {image: "localhost/busybox:1", env-from: [bucket], node-selector: {kubernetes.io/hostname: node1}}
  steps:
    load:
      inputs: {words: {path: words.bin}}
      command: [sh, -c, 'mkdir ${out.data}; /bin/busybox cp ${in.words} ${out.data}/words; ln -s words ${out.data}/link; echo 3 >${out.rows}']
      outputs: {data: folder, rows: value}
    train:
      inputs: {data: load.data, rows: load.rows}
      command: [sh, -c, '/bin/busybox sha256sum <${in.data}/link >${out.model}; echo ${in.rows} ${params.n} >>${out.model}']
      outputs: {model: model}
Y
kml trust p.yaml >/dev/null 2>&1 # because it uses a secret
expect 0 kml run p.yaml --store s3://made/team --name one
expect 0 kml run p.yaml --store s3://made/team --name two -p n=2
contains "$out" "load cached"
contains "$out" "train done"
expect 0 kml artifact get two/train.model model
[ "$(cat model)" = "$(sha256sum <words.bin)"$'\n3 2' ] || fail "$(cat model)"
! k get jobs,pods,configmaps -o yaml | grep -q tester-secret || fail "a manifest has the secret"

# If an input of a step was removed from the bucket, the step that made it runs again, even if another machine needs it.
rm -r "$s3/buckets/made/team/v1/blobs"
expect 0 kml run p.yaml --store s3://made/team --name three -p n=3
contains "$out" "load done"
export XDG_STATE_HOME=$work/other
kml trust p.yaml >/dev/null 2>&1
expect 0 kml run p.yaml --store s3://made/team --name four -p n=3
[ "$(grep -c cached <<<"$out")" = 2 ] || fail "$out"

# An engine in the cluster uses the bucket with the key of the steps. This machine then finds its results.
need_engine_image
need_volume journal ReadWriteMany
head -c 100000 /dev/urandom >words.bin # goes into Secrets
expect 0 kml run p.yaml --store s3://made/team --name six --in-cluster --engine-image "$image" --journal-volume pvc/journal
expect 0 kml run attach six
contains "$out" "train done"
expect 0 kml run p.yaml --store s3://made/team --name seven
[ "$(grep -c "cached.*made by six" <<<"$out")" = 2 ] || fail "$out"

# A wrong key fails the step with a cause, and leaves nothing in the bucket.
k delete secret bucket >/dev/null
k create secret generic bucket --from-literal=AWS_ACCESS_KEY_ID=tester --from-literal=AWS_SECRET_ACCESS_KEY=wrong \
  --from-literal=AWS_ENDPOINT_URL=http://10.88.0.1:$port >/dev/null
before=$(find "$s3/buckets/made" -type f | sort)
expect 3 kml run p.yaml --store s3://made/team --name five -p n=5
contains "$err" "the secret is wrong for access key tester"
[ "$(find "$s3/buckets/made" -type f | sort)" = "$before" ] || fail "it wrote something"
