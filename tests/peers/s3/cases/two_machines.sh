# A second machine reuses the results of the first, and downloads files only when a step reads them. Unchanged files
# are uploaded once. If a file is missing from the bucket, its step runs again. boto3 can read what kml wrote.
. "$SOURCE/tests/cli/lib.sh"
: >code
store=s3://$BUCKET/team
objects=$BUCKETS/$BUCKET/team/v1
cat >p.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: iris}
spec:
  params: {trees: {type: int, default: 3}}
  defaults: {code: {paths: [code]}}
  steps:
    load:
      command: [sh, -c, 'echo load >>ran; echo data >"$0"; echo 7 >"$1"', "${out.data}", "${out.count}"]
      outputs: {data: dataset, count: value}
    train:
      inputs: {data: load.data, count: load.count}
      command: [sh, -c, 'echo train >>ran; mkdir -p "$1/empty" "$1/bin"; cp "$0" "$1/bin/tool"; chmod 755 "$1/bin/tool"; ln -s bin/tool "$1/link"; head -c 20000001 /dev/zero >"$1/big"; echo score=0.5', "${in.data}", "${out.model}", "${params.trees}", "${in.count}"]
      outputs: {model: model, score: {metric: score}}
Y
machine() { export XDG_STATE_HOME=$work/$1; }
ran() { sort ran | uniq -c | tr -s ' \n' ' '; }
local_files() { find "$XDG_STATE_HOME/kml/artifacts/data" -type f 2>/dev/null | wc -l; }

machine first
expect 0 "$KML" run p.yaml --store "$store" --name one
[ "$(ran)" = " 1 load 1 train " ] || fail "$(ran)"
digest=$("$KML" artifact list one -o json | "$PYTHON" -c 'import json, sys; print([a for a in json.load(sys.stdin) if a["output"] == "model"][0]["digest"])')
# The tree's digest is that of its manifest. The tree has three files with two different contents, one of which is
# already stored as the input.
[ "$(find "$objects/blobs" -type f | wc -l)" = 2 ] || fail "$(find "$objects" -type f)"
"$PYTHON" - "$BUCKET" "$digest" <<'P'
import boto3, hashlib, json, sys
s3 = boto3.client("s3")
bucket, digest = sys.argv[1:]
read = lambda key: s3.get_object(Bucket=bucket, Key="team/v1/" + key)["Body"].read()
manifest = read(f"manifests/{digest[:2]}/{digest}")
assert hashlib.sha256(manifest).hexdigest() == digest
assert manifest.decode().splitlines()[0].startswith('"big" 644 20000001 '), manifest
for line in manifest.decode().splitlines():
    words = line.split()
    if len(words) != 4: continue
    assert hashlib.sha256(read(f"blobs/{words[3][:2]}/{words[3]}")).hexdigest() == words[3], line
keys = [o["Key"] for o in s3.list_objects_v2(Bucket=bucket, Prefix="team/v1/ac/")["Contents"]]
assert len(keys) == 2, keys
for key in keys:
    entry = json.loads(s3.get_object(Bucket=bucket, Key=key)["Body"].read())
    assert entry["run"] == "one" and "path" not in json.dumps(entry["outputs"]), entry
P

machine second
expect 0 "$KML" run p.yaml --store "$store" --dry-run
[ "$(grep -c HIT "$work/out")" = 2 ] || fail "$out"
expect 0 "$KML" run p.yaml --store "$store" --name two
contains "$out" "made by one"
[ "$(ran)" = " 1 load 1 train " ] || fail "ran again: $(ran)"
[ "$(local_files)" = 0 ] || fail "files were brought that no step reads"
expect 0 "$KML" artifact list two
[[ "$out" != *removed* ]] || fail "$out"
expect 0 "$KML" artifact get two/train.model model
[ -d model/empty ] && [ -x model/bin/tool ] && [ "$(readlink model/link)" = bin/tool ] || fail "$(find model -ls)"
[ "$(stat -c %s model/big)" = 20000001 ] || fail "$(ls -l model)"
expect 0 "$KML" run p.yaml --store "$store" -p trees=4
[ "$(ran)" = " 1 load 2 train " ] || fail "$(ran)"
"$KML" local down --force >/dev/null 2>&1

# A file that is missing from the bucket is made again by the machine that needs it.
machine third
data=$(echo data | sha256sum | cut -c1-64)
rm "$objects/blobs/${data:0:2}/$data"
expect 0 "$KML" run p.yaml --store "$store" --dry-run
contains "$(tr -s ' ' <"$work/out")" "load RUN its output data is gone, or was changed"
expect 0 "$KML" run p.yaml --store "$store"
[ "$(ran)" = " 2 load 2 train " ] || [ "$(ran)" = " 2 load 3 train " ] || fail "$(ran)"
[ -e "$objects/blobs/${data:0:2}/$data" ] || fail "it was not sent again"
"$KML" local down --force >/dev/null 2>&1
machine fourth
expect 0 "$KML" run p.yaml --store "$store" --dry-run
[ "$(grep -c HIT "$work/out")" = 2 ] || fail "$out"

# A result for the same work does not replace an entry, except with --refresh.
before=$(find "$objects/ac" -type f | wc -l)
expect 0 "$KML" run p.yaml --store "$store" --refresh load --name again
[ "$(find "$objects/ac" -type f | wc -l)" = "$before" ] || fail "$(find "$objects/ac")"
grep -q '"run":"again"' -r "$objects/ac" || fail "the refreshed result was not kept"
"$KML" local down --force >/dev/null 2>&1
machine first
