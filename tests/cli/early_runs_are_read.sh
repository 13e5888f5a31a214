. "$(dirname "$0")/lib.sh"
# Uses the state folder of kml 0.1.0 (tests/recorded/kml/runs): two runs of a pipeline, their artifacts, a schedule, the
# metrics and the GPU time of a deleted job.
mkdir -p "$XDG_STATE_HOME"
cp -r "$SOURCE/tests/recorded/kml/runs" "$XDG_STATE_HOME/kml"
chmod -R go= "$XDG_STATE_HOME"
# The records contain absolute paths of artifacts, so the paths are changed to this folder.
grep -rlIZ /tmp/ana/state "$XDG_STATE_HOME" | xargs -0 sed -i "s,/tmp/ana/state,$XDG_STATE_HOME,g"

expect 0 timeout 60 "$KML" run list
[[ "$out" =~ first\ +words\ +succeeded\ +5/5 && "$out" =~ second\ +words\ +succeeded\ +5/5 ]] || fail "$out"
expect 0 timeout 60 "$KML" run status first
[[ "$out" =~ publish\ +skipped\ +count\.lines\ \>\ params\.least ]] || fail "$out"
expect 0 timeout 60 "$KML" run status second
[[ "$out" =~ make\ +cached\ +text\ \(8\ B\)\ +folder\ \(8\ B\)\ +made\ by\ first ]] || fail "$out"
mkdir got
for output in make.text make.folder each-1.letter; do expect 0 timeout 60 "$KML" artifact get first/$output got/$output; done
[ "$(cat got/make.text got/make.folder/a got/each-1.letter)" = $'one\ntwo\none\ntwo\nb' ] || fail "other outputs"
expect 0 timeout 60 "$KML" artifact lineage first/count.lines
contains "$out" "text = first/make.text"
expect 0 timeout 60 "$KML" run logs first count
contains "$out" "lines=2"

expect 0 timeout 60 "$KML" schedule list
[[ "$out" =~ nightly\ +0\ 3\ \*\ \*\ \*\ +Europe/Berlin ]] || fail "$out"
expect 0 timeout 60 "$KML" runs -o json
contains "$out" '"note": "a note"'
expect 0 timeout 60 "$KML" runs
contains "$out" "epoch=2 loss=0.25"
contains "$out" "count.lines=2"
expect 0 timeout 60 "$KML" runs report loss --output -
contains "$out" '"points":[[1,0.5],[2,0.25]]'
expect 0 timeout 60 "$KML" usage --since 36500d -o json
contains "$out" '"gpuHours": 0.00055'
expect 0 timeout 60 "$KML" local check
