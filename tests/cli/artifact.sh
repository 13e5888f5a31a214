# Artifacts are listed, copied, traced to their origin and pinned. Deleting a run keeps what other runs use, and kml
# gc removes nothing recent.
. "$(dirname "$0")/lib.sh"
: >code
cat >p.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: iris}
spec:
  params: {trees: {type: int, default: 3}}
  defaults: {code: {paths: [code]}}
  steps:
    load:
      command: [sh, -c, 'echo data >"$$0"; echo 7 >"$1"', "${out.data}", "${out.count}"]
      outputs: {data: dataset, count: value}
    train:
      inputs: {data: load.data, count: load.count}
      command: [sh, -c, 'mkdir -p "$1/empty" "$1/bin"; cp "$0" "$1/bin/tool"; chmod 755 "$1/bin/tool"; ln -s bin/tool "$1/link"; echo score=0.5', "${in.data}", "${out.model}", "${params.trees}", "${in.count}"]
      outputs: {model: model, score: {metric: score}}
Y
expect 0 "$KML" artifact list
contains "$err" "no artifacts yet"
expect 0 "$KML" gc
contains "$err" "nothing to remove"
expect 0 "$KML" run p.yaml
first=$("$KML" run list -o name)
expect 0 "$KML" artifact list -o name
[ "$out" = "$first/load.data
$first/load.count
$first/train.model
$first/train.score" ] || fail "$out"
expect 0 "$KML" artifact list
contains "$(tr -s ' ' <"$work/out")" "$first/train.score metric 0.5 - - "
digest=$("$KML" artifact list -o json | sed -n 's/.*"digest": "\([0-9a-f]*\)".*/\1/p' | tail -1)
contains "$(tr -s ' ' <"$work/out")" "$first/train.model model 5 B 1 ${digest:0:12} "

# Copies are complete and writable, and do not replace another file without --force.
expect 0 "$KML" artifact get "$first/train.model" model
[ -d model/empty ] && [ -x model/bin/tool ] && [ "$(readlink model/link)" = bin/tool ] || fail "$(find model -ls)"
echo more >>model/bin/tool
touch model/new model/empty/new
expect 2 "$KML" artifact get "$first/train.model" model
contains "$err" "model already exists"
contains "$err" "--force"
[ -e model/new ] || fail "it was overwritten"
expect 0 "$KML" artifact get "$first/train.model" model --force
[ ! -e model/new ] && [ "$(cat model/bin/tool)" = data ] || fail "it was not replaced: $(find model)"
# A file that is copied to an existing folder goes into it, and the folder keeps its other files.
mkdir there
touch there/mine
expect 0 "$KML" artifact get "$first/load.data" there
expect 0 "$KML" artifact get "$first/load.data" there --force
expect 0 "$KML" artifact get "$first/load.count" there
[ "$(cat there/data)" = data ] && [ "$(cat there/count)" = 7 ] && [ -e there/mine ] || fail "$(find there)"
expect 0 bash -c "cd there && '$KML' artifact get '$first/train.model' ."
[ -d there/model/empty ] || fail "$(find there)"
mkdir into
expect 0 "$KML" artifact get "$first/load.data" into/
[ "$(cat into/data)" = data ] || fail "$(find into)"
expect 2 "$KML" artifact get "$first/load.data" no/such/file
contains "$err" "mkdir -p no/such"
[ -z "$(find . -maxdepth 2 -name '.*.tmp')" ] || fail "something was left: $(find . -name '.*.tmp')"
# An artifact that is a single file is printed, unless the file was changed.
expect 0 "$KML" artifact get "$first/load.data"
[ "$out" = data ] || fail "$out"
file=$("$KML" artifact list -o json | sed -n 's/.*"path": "\(.*load.*data\)".*/\1/p' | head -1)
chmod u+w "$(dirname "$file")" "$file"
echo dato >"$file"
expect 1 "$KML" artifact get "$first/load.data"
[ -z "$out" ] || fail "$out"
contains "$err" "was changed after it was made"
echo data >"$file"
chmod a-w "$file"
expect 0 "$KML" artifact get "$first/load.data"
expect 0 "$KML" artifact get "$first/train.score"
[ "$out" = 0.5 ] || fail "$out"
for dest in "" -; do # "-" is standard output, too
  expect 0 "$KML" artifact get "$first/load.data" $dest
  [ "$out" = data ] || fail "$out"
  expect 0 "$KML" artifact get "$first/train.score" $dest
  [ "$out" = 0.5 ] || fail "$out"
  expect 2 "$KML" artifact get "$first/train.model" $dest
  contains "$err" "is a folder"
  contains "$err" "kml artifact get $first/train.model DEST"
done
[ ! -e ./- ] || fail "a file \"-\" was made"
expect 2 "$KML" artifact get "$first/train.modle"
contains "$err" "did you mean"
expect 2 "$KML" artifact get train.model
contains "$err" "RUN/STEP.OUTPUT"

expect 0 "$KML" artifact lineage "$first/load.data"
contains "$out" 'echo data >"$0"'

# kml shows the lineage in both directions, even through a run that reused the artifact.
expect 0 "$KML" run p.yaml -p trees=4
second=$("$KML" run list -o name | grep -v "$first")
expect 0 "$KML" artifact lineage "$second/train.model"
contains "$out" "run $second, step train, job $second-train"
contains "$out" "param trees=4"
contains "$out" "command: sh -c"
contains "$out" "data = $second/load.data"
contains "$out" "run $first, step load, job $first-load"
contains "$out" "program sh "
expect 0 "$KML" artifact lineage "$second/load.data" --down
contains "$out" "read by run $first, step train"
contains "$out" "read by run $second, step train"
expect 0 "$KML" artifact lineage "$second/train.model" -o json
python3 - "$first" "$work/out" <<'P'
import json, sys
lineage = json.load(open(sys.argv[2]))
assert lineage["made"]["params"] == {"trees": 4}, lineage
assert lineage["inputs"]["data"]["made"]["run"] == sys.argv[1], lineage
assert lineage["inputs"]["count"]["value"] == 7, lineage
P

[[ $out != *'"git"'* ]] || fail "no repository, but a commit: $out"

# Deleting the first run keeps what the second one uses and what is pinned.
expect 0 "$KML" artifact pin "$first/train.model"
expect 0 "$KML" artifact list
contains "$out" "pinned"
expect 0 "$KML" run delete "$first"
contains "$err" "kept $first/load/0/data, which is pinned or used by other runs"
contains "$err" "kept $first/train/0/model"
expect 0 "$KML" artifact get "$second/load.data"
expect 0 "$KML" run p.yaml -p trees=4 --dry-run
[ "$(grep -c HIT "$work/out")" = 2 ] || fail "$out"
# A pinned artifact can be read although its run was deleted.
expect 0 "$KML" artifact list
contains "$(tr -s ' ' <"$work/out")" "$first/train.model model 5 B 1"
expect 0 "$KML" artifact list "$first" -o name
[ "$out" = "$first/train.model" ] || fail "$out"
expect 0 "$KML" artifact get "$first/train.model" pinned
[ -x pinned/bin/tool ] || fail "$(find pinned)"
# kml still shows the origin of an artifact whose run was deleted.
expect 0 "$KML" artifact lineage "$second/load.data"
contains "$out" "run $first, step load, job $first-load"
expect 0 "$KML" artifact unpin "$first/train.model"
contains "$out" "unpinned"
expect 0 "$KML" artifact unpin "$first/train.model"
contains "$out" "was not pinned"
# --force also deletes the artifacts of a run that other runs use. If another run needs their steps, the steps
# run again, and kml says why.
expect 0 "$KML" run delete "$second"
expect 0 "$KML" run p.yaml --no-cache
maker=$("$KML" run list -o name)
expect 0 "$KML" run p.yaml -p trees=5
user=$("$KML" run list -o name | grep -v "$maker")
expect 0 "$KML" run delete "$maker" --force
[[ "$err" != *kept* ]] || fail "$err"
expect 0 "$KML" run p.yaml -p trees=5 --dry-run
contains "$(tr -s ' ' <"$work/out")" "load RUN the last result was removed"
expect 2 "$KML" artifact get "$user/load.data"
contains "$err" "the files of $user/load.data were removed"
expect 0 "$KML" run delete "$user"

# Nothing from the last day is removed, whatever the flags.
expect 0 "$KML" gc --keep 0s --keep-last 0 --max-size 0
expect 0 "$KML" run p.yaml
third=$("$KML" run list -o name)
expect 0 "$KML" gc --keep 0s --keep-last 0 --max-size 0
expect 0 "$KML" artifact get "$third/load.data"
expect 0 "$KML" run p.yaml --dry-run
[ "$(grep -c HIT "$work/out")" = 2 ] || fail "$out"
expect 2 "$KML" gc --max-size lots
contains "$err" '--max-size "lots" is not an amount of bytes'
expect 2 "$KML" gc --max-size 100
contains "$err" '--max-size "100" is only 100 bytes; write 100Gi'
# A failed run cannot continue without its files, and kml says so.
cat >q.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: short}
spec:
  defaults: {code: {paths: [code]}}
  steps:
    make: {command: [sh, -c, 'echo made >"$0"', "${out.file}"], outputs: {file: file}}
    fail: {inputs: {file: make.file}, command: [sh, -c, 'cat "$0"; exit 1', "${in.file}"]}
Y
expect 3 "$KML" run q.yaml
failed=$("$KML" run list -o name | grep short)
chmod -R u+w "$XDG_STATE_HOME/kml/artifacts/data/$failed"
rm "$XDG_STATE_HOME/kml/artifacts/data/$failed/make/0/file"
expect 2 "$KML" run resume "$failed"
contains "$err" "the files of $failed/make.file were removed"
expect 2 "$KML" artifact pin "$failed/make.file"
expect 0 "$KML" artifact list "$failed"
contains "$out" "removed"
