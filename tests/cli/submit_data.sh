# `kml submit --data`: the submit pins the versions of the data, and rejects sources that cannot work. The
# pods fetch the data; on a claim, they do so only once. Reruns read the same data, and `kml gc` deletes data
# that no job uses.
. "$(dirname "$0")/lib.sh"
mkdir hub
python3 "$SOURCE/tests/support/fake_hub.py" hub --large 3000000 & hub=$!
trap 'status=$?; kill $hub; finish $status' EXIT
eventually test -s hub/port
url=http://127.0.0.1:$(cat hub/port) sum=$(cat hub/sum)
export HF_ENDPOINT=$url
commit=0123456789abcdef0123456789abcdef01234567
mode() { echo "$*" >hub/mode; : >hub/log; }

# A submit pins the revision. The token is not in the manifest.
mode
kubeconfig_of_cluster
submit() { KUBECONFIG=kubeconfig "$KML" submit --image i "$@" -- true; }
HF_TOKEN=hub-token expect 0 submit --dry-run -o json --data hf://datasets/ana/rows@main:/data --data "$url/file#sha256=$sum:/file" --data-store pvc/shared --secret HF_TOKEN
contains "$out" "hf://datasets/ana/rows@$commit"
contains "$out" '"claimName": "shared"'
contains "$err" "revision main of datasets/ana/rows is $commit"
[[ "$out$err" != *hub-token* ]] || fail "the token is in the manifest"
[ ${#out} -lt 20000 ] || fail "the manifest has the programs: ${#out} characters"
expect 0 submit --dry-run --data hf://datasets/ana/rows@refs/pr/1/data/:/data/
contains "$out" "hf://datasets/ana/rows@$commit/data"
while IFS='|' read -r text arguments; do
  expect 2 submit --dry-run $arguments
  contains "$err" "$text"
done <<T
add #sha256=SUM|--data $url/file:/data
"x" at digit 1 of the sum is not hexadecimal: a sha256 has 64 lower-case|--data $url/file#sha256=x:/data
the sum has 63 digits: a sha256 has 64 lower-case|--data $url/file#sha256=${sum:1}:/data
the sum has 40 digits, like a sha1|--data $url/file#sha256=${sum:24}:/data
the sum after "#sha256=" is missing|--data $url/file#sha256=:/data
in upper case; write #sha256=$sum|--data $url/file#sha256=${sum^^}:/data
"#sha265=" is not known; did you mean #sha256=SUM?|--data $url/file#sha265=$sum:/data
"#SHA256=" is not known; did you mean #sha256=SUM?|--data $url/file#SHA256=$sum:/data
kml checks only sha256 sums, not md5|--data $url/file#md5=${sum:32}:/data
file#sha256=x"|--data hf://ana/net:/net --data $url/file#sha256=x:/data
has no path|--data https://x/y
invalid source|--data hf://rows:/data
invalid source|--data ftp://x/y:/data
has a user name|--data https://me:secret@x/y#sha256=$sum:/data
has the parameter X-Amz-Signature|--data https://x/y?a=b&X-Amz-Signature=secret#sha256=$sum:/data
has the parameter token|--data https://x/y?token=secret#sha256=$sum:/data
does not name a file|--data https://x/y/#sha256=$sum:/data
is not a valid path|--data hf://ana/rows@main/../x:/data
of two sources|--data hf://ana/net:/data --data hf://ana/net@main:/data
is not a valid mount path|--data hf://ana/net:/
is not a valid mount path|--data hf://ana/net:/a/../b
another mount|--data hf://ana/net:/data --mount pvc/x:/data
must be pvc/NAME|--data hf://ana/net:/data --data-store x
needs --data|--data-store pvc/x
does not name a bucket|--data s3://X:/data
cannot be used with|--data hf://ana/net:/data --plan plan.json
it does not exist|--data hf://datasets/ana/absent:/data
T
# Flags replace the data of kml.yaml that has their paths.
cat >kml.yaml <<'Y'
data: ["hf://ana/net@main:/one", "hf://ana/net@main:/two/", "hf://ana/net@main:/three"]
Y
expect 0 "$KML" trust
expect 0 submit --dry-run -o json --data hf://datasets/ana/rows:/one --data hf://datasets/ana/rows:/two
python3 -c 'import json, sys
job = json.load(sys.stdin)
job = next(item for item in job["items"] if item["kind"] == "Job")
sources = [source.split("@")[0] for source in job["metadata"]["annotations"]["kml.dev/data"].split("\n")]
assert sources == ["hf://models/ana/net", "hf://datasets/ana/rows", "hf://datasets/ana/rows"], sources' <<<"$out" || fail "$out"
rm kml.yaml
HF_ENDPOINT=http://example.invalid HF_TOKEN=x expect 2 submit --dry-run --data hf://ana/net:/data
contains "$err" "without encryption"
mode token
HF_TOKEN='' expect 4 submit --dry-run --data hf://ana/net:/data
contains "$err" "--secret HF_TOKEN"

# On this machine, the data is in a folder for each job, or on a claim, onto which it is fetched only once.
unshare --user --map-root-user --mount true 2>/dev/null || { echo "no namespaces here: not run"; exit 0; }
"$KML" submit -f - >/dev/null 2>&1 <<'Y'
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: shared}, spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}}
Y
for store in "" "--data-store pvc/shared" "--data-store pvc/shared"; do
  mode token
  HF_TOKEN=hub-token expect 0 "$KML" submit --name read --replace $store --secret HF_TOKEN --data hf://datasets/ana/rows/data:/data --follow -- \
    sh -c 'ls /data | wc -l; cat /data/0007.txt; echo x >/data/y || true'
  contains "$out" 1201
  contains "$out" $'7\n'
done
[ "$(grep -c resolve hub/log)" = 0 ] || fail "it was fetched twice: $(head hub/log)"

# Eight ranks that start together cause one download.
mode
expect 0 "$KML" submit --name ranks --array 0-7 --cpu 10m --data-store pvc/shared --data "$url/file#sha256=$sum:/data" --wait -- sh -c 'sha256sum </data/file'
[ "$(grep -c '^20. /file' hub/log)" = 1 ] || fail "$(cat hub/log)"
expect 0 "$KML" runs compare read ranks -o json
contains "$out" "hf://datasets/ana/rows@$commit/data"

# A job can read data and artifacts, and keep its outputs.
mode
expect 0 "$KML" submit --name out --data "$url/file#sha256=$sum:/data" --output s=s.txt --wait -- sh -c 'sha256sum </data/file >s.txt'
expect 0 "$KML" artifact get out/job.s
contains "$out" "$sum"
echo given >given.txt
expect 0 "$KML" submit --name both --data hf://datasets/ana/rows@main/data:/rows --data-store pvc/shared --input a=out/job.s --input g=./given.txt \
  --output t=t.txt --wait -- sh -c 'cat "$0" "$1" /rows/0007.txt >t.txt' '${in.a}' '${in.g}'
expect 0 "$KML" artifact get both/job.t
[ "$out" = "$sum  -"$'\ngiven\n7' ] || fail "$out"
expect 0 "$KML" artifact lineage both/job.t
contains "$out" "hf://datasets/ana/rows@$commit/data"
printf 'data: ["hf://datasets/ana/rows/data:/rows"]\n' >kml.yaml
expect 0 "$KML" trust
expect 0 "$KML" submit --name by-default --output t=t.txt --wait -- sh -c 'cp /rows/0008.txt t.txt'
expect 0 "$KML" artifact get by-default/job.t
[ "$out" = 8 ] || fail "$out"
expect 0 "$KML" submit --name no-data --data '' --output t=t.txt --wait -- sh -c '[ ! -e /rows ] && date >t.txt'
rm kml.yaml
while IFS='|' read -r text arguments; do
  expect 2 "$KML" submit $arguments --output t=t.txt -- true
  contains "$err" "--data"
  contains "$err" "$text"
done <<T
invalid source|--data hf://rows:/data
the path of two sources|--data hf://ana/net:/data --data hf://ana/net@main:/data
must be pvc/NAME|--data hf://ana/net:/data --data-store x
needs --data|--data-store pvc/x
cannot be used with --cron|--data hf://ana/net:/data --every 1d
T
for name in out both by-default no-data; do expect 0 "$KML" run delete $name; done

# A rerun reads the same version, although the job and its programs are deleted. Data that changes makes the job fail.
HF_TOKEN=hub-token expect 0 "$KML" rerun read --follow --name again -- cat /data/0008.txt
contains "$out" 8
expect 0 "$KML" delete read again ranks
no_programs() { [ -z "$("$KML" list configmaps -o name)" ]; }
eventually no_programs
HF_TOKEN=hub-token expect 0 "$KML" rerun again --follow --name third -- cat /data/0009.txt
contains "$out" 9
mode changed
expect 3 "$KML" submit --name changed --data "$url/file#sha256=$sum:/data" --wait -- true
expect 0 "$KML" why changed
contains "$out" "sends a different file"

# Data can be set for a project, for sweeps, and for the steps of a pipeline. A step runs again when its data
# has another version.
mode
printf 'data: ["hf://datasets/ana/rows/data:/data"]\ndata-store: pvc/shared\n' >kml.yaml
expect 0 "$KML" trust
expect 0 "$KML" submit --name default --follow -- cat /data/0011.txt
contains "$out" 11
expect 0 "$KML" submit --name none --data '' --follow -- sh -c '[ ! -e /data ]'
expect 0 "$KML" submit --name other --data "$url/file#sha256=$sum:/data" --follow -- sh -c 'sha256sum </data/file'
contains "$out" "$sum"
expect 0 "$KML" sweep run s --param x=1,2 --trials 2 --maximize score -- sh -c 'echo "score=$(cat /data/000{x}.txt)"'
contains "$out$err" "best score 2"
expect 0 "$KML" submit --dry-run --cron '0 0 * * *' -- true
contains "$err" "the pods of this command do not fetch it"
rm kml.yaml
touch kept
cat >pipeline.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: p}
spec:
  steps:
    read: {code: {paths: [kept]}, data: ["hf://datasets/ana/rows@main:/rows"], data-store: pvc/shared, command: [sh, -c, 'cat /rows/data/0007.txt >"$0"', '${out.n}'], outputs: {n: value}}
    sum: {code: {paths: [kept]}, inputs: {n: read.n}, command: [sh, -c, 'echo $((1 + $0)) >"$1"', '${in.n}', '${out.n}'], outputs: {n: value}}
Y
expect 2 "$KML" run pipeline.yaml
contains "$err" "pipeline.yaml"
expect 0 "$KML" trust pipeline.yaml
expect 0 "$KML" run pipeline.yaml --name first
contains "$out$err" "n=8"
expect 0 "$KML" run pipeline.yaml --dry-run
[ "$(grep -c HIT <<<"$out")" = 2 ] || fail "$out"
expect 0 "$KML" artifact lineage first/sum.n
contains "$out" "hf://datasets/ana/rows@$commit"
sed -i 's,rows@main,rows@refs/pr/1,' pipeline.yaml
expect 0 "$KML" trust pipeline.yaml
expect 0 "$KML" run pipeline.yaml --dry-run
[ "$(grep -c HIT <<<"$out")" = 2 ] || fail "another name of the same version: $out"
sed -i "s,hf://datasets/ana/rows@refs/pr/1,$url/file#sha256=$sum," pipeline.yaml
expect 0 "$KML" trust pipeline.yaml
expect 0 "$KML" run pipeline.yaml --dry-run
contains "$out" "data /rows changed"
# The error for a wrong checksum names the step.
sed -i "s,#sha256=$sum,#sha256=${sum:1}," pipeline.yaml
expect 0 "$KML" trust pipeline.yaml
expect 2 "$KML" run pipeline.yaml --dry-run
contains "$err" "step read: data: invalid source \"$url/file#sha256=${sum:1}\""
contains "$err" "the sum has 63 digits: a sha256 has 64"
rm pipeline.yaml

# `kml gc` keeps what was used within --keep, and what a pod uses.
expect 2 "$KML" gc --data-store pvc/shared --keep 0s --dry-run
contains "$err" "--keep 0s is too short for --data-store"
expect 0 "$KML" gc --data-store pvc/shared --keep 1d --dry-run
contains "$out" "0 B would be freed"
store=$(dirname "$(find "$XDG_STATE_HOME" -name '.kml-data-*.used' | head -n 1)")
touch -d '40 days ago' "$store"/.kml-data-*.used
"$KML" submit --name holds --data-store pvc/shared --data "$url/file#sha256=$sum:/data" -- sh -c 'touch running; exec sleep 10000' >/dev/null
eventually test -e running
touch -d '40 days ago' "$store"/.kml-data-*.used
expect 0 "$KML" gc --data-store pvc/shared
contains "$out" "removed hf://datasets/ana/rows@$commit/data"
[ "$(ls "$store" | wc -l)" = 1 ] || fail "$(ls "$store")"
