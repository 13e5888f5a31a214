# kml artifact put: a file becomes an artifact that pipelines read. It is listed, copied and pinned, and does
# not change with the file.
. "$(dirname "$0")/lib.sh"
: >code
echo one >words.txt
cat >p.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: read}
spec:
  defaults: {code: {paths: [code]}}
  steps:
    read:
      inputs: {words: {artifact: words}}
      command: [sh, -c, 'cat "$0" "$0" >"$1"', "${in.words}", "${out.twice}"]
      outputs: {twice: file}
Y
expect 2 "$KML" run p.yaml --dry-run
contains "$err" 'no run "words"'
expect 0 "$KML" artifact put words=words.txt
echo two >words.txt
expect 0 "$KML" artifact list -o name
[ "$out" = words ] || fail "$out"
expect 0 "$KML" artifact get words
[ "$out" = one ] || fail "$out"
expect 0 "$KML" run p.yaml --name first
expect 0 "$KML" artifact get first/read.twice
[ "$out" = $'one\none' ] || fail "$out"
expect 0 "$KML" run p.yaml --dry-run
contains "$out" HIT
# A pipeline can also read an output of another run.
sed -i 's|artifact: words|artifact: first/read.twice|' p.yaml
expect 0 "$KML" run p.yaml --name second
expect 0 "$KML" artifact get second/read.twice
[ "$out" = $'one\none\none\none' ] || fail "$out"

expect 2 "$KML" artifact put words=words.txt
contains "$err" "the name words is taken"
expect 2 "$KML" artifact put words2=none
expect 2 "$KML" artifact put Words=words.txt
expect 2 "$KML" artifact put 9words=words.txt
contains "$err" "the name must start with a letter"
expect 0 "$KML" artifact pin words
expect 0 "$KML" artifact list
contains "$out" pinned
expect 0 "$KML" gc --keep 0s --keep-last 0
expect 0 "$KML" artifact get words
# A file or folder that cannot be stored leaves nothing behind.
mkdir -p folder/empty
ln -s ../words.txt folder/words
expect 1 "$KML" artifact put tree=folder
contains "$err" '"words" is a link to "../words.txt", which is outside of the folder'
rm folder/words
expect 0 "$KML" artifact list
! grep -q damaged <<<"$err" || fail "$err"
expect 0 "$KML" artifact put tree=folder
expect 0 "$KML" artifact get tree copy
[ -d copy/empty ] || fail "$(find copy)"
expect 0 "$KML" artifact lineage second/read.twice
expect 0 "$KML" run list
