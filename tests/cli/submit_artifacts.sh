# kml submit --input --output: a single job reads an artifact of a run, and its own outputs are kept as artifacts,
# which can be listed, traced and read by a pipeline.
. "$(dirname "$0")/lib.sh"
: >code
cat >p.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: iris}
spec:
  defaults: {code: {paths: [code]}}
  steps:
    load: {command: [sh, -c, 'echo data >"$0"', "${out.train}"], outputs: {train: dataset}}
Y
expect 0 "$KML" run p.yaml --name iris-1

# Submits in the background. The command gets paths, and the shell's own ${HOME} still works.
expect 0 "$KML" submit --name rep --env FROM='${in.d}' --input d=iris-1/load.train --output text=rep.txt --output copy -- \
  sh -c 'echo "${HOME} $$" >env; cat ${in.d} "$FROM" >rep.txt; mkdir ${out.copy}; cp rep.txt ${out.copy}/a'
contains "$out" "job rep submitted"
made() { [ "$("$KML" artifact list rep -o name | tr '\n' ' ')" = "rep/job.copy rep/job.text " ]; }
eventually made
[[ "$(cat env)" =~ ^$HOME\ [0-9]+$ ]] || fail "the shell's own words: $(cat env)"
expect 0 "$KML" artifact get rep/job.text
[ "$out" = $'data\ndata' ] || fail "$out"
expect 0 "$KML" artifact lineage rep/job.text
contains "$out" "run rep, step job, job rep"
contains "$out" "d = iris-1/load.train"
expect 0 "$KML" artifact lineage iris-1/load.train --down
contains "$out" "read by run rep, step job"

# The artifact belongs to the run: later changes of the job's file do not affect it.
echo other >rep.txt
expect 0 "$KML" artifact get rep/job.text
[ "$out" = $'data\ndata' ] || fail "$out"

# A pipeline reads the artifact by its content.
cat >q.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: reader}
spec:
  defaults: {code: {paths: [code]}}
  steps:
    read:
      inputs: {text: {artifact: rep/job.text}}
      command: [sh, -c, 'wc -l <"$0" >count', "${in.text}"]
      outputs: {count: {path: count, kind: value}}
Y
expect 0 "$KML" run q.yaml
contains "$out" "count=2"
expect 0 "$KML" run q.yaml --dry-run
contains "$out" "HIT"
sed 's/job.text/job.txet/' q.yaml >r.yaml
expect 2 "$KML" run r.yaml --dry-run
contains "$err" 'did you mean "rep/job.text"'

# Submits with --wait. A file that was not written, or is older than the job, is not an output.
expect 0 "$KML" submit --wait --name w --input d=./p.yaml --output n=n -- sh -c 'wc -l <${in.d} >n'
contains "$err" "saved w/job.n"
expect 3 "$KML" submit --wait --name none --output n=no -- true
contains "$err" "did not write output n: nothing exists at $work/no"
# These commands say that a job without its output has failed; `kml why` and `kml logs` say why.
for asked in "list none" "why none" "status none" "history" "wait none"; do
  "$KML" $asked >said 2>&1 || true
  grep -Eq '(none|why)[: ].*[Ff]ailed|^State +Failed' said || fail "$asked: $(cat said)"
done
contains "$("$KML" why none)" "did not write output n: nothing exists at $work/no"
contains "$("$KML" logs none)" "kml: the command succeeded, but did not write output n: nothing exists at $work/no"
[[ $("$KML" history) =~ run/none\ .*\ none\ .*\ Failed.*\ true ]] || fail "$("$KML" history)"
[[ $("$KML" history) =~ run/w\ .*\ w\ .*\ Succeeded.*\ sh\ -c ]] || fail "$("$KML" history)"
# kml runs and kml history show a cancelled job as cancelled.
expect 0 "$KML" submit --name gone --output n=n -- sleep 1000
runs_gone() { "$KML" list gone | grep -q Running; }
eventually runs_gone
expect 0 "$KML" cancel gone
is_cancelled() { "$KML" runs | grep -Eq '^run/gone +gone +Cancelled '; }
eventually is_cancelled
[[ $("$KML" history) =~ run/gone\ .*\ Cancelled ]] || fail "$("$KML" history)"
touch -d '1 hour ago' old
expect 3 "$KML" submit --follow --name old --output n=old -- echo hello
contains "$out" hello
contains "$err" "$work/old is older than the job"
expect 3 "$KML" submit --wait --name bad --output n=n -- false
[ -z "$("$KML" artifact list bad -o name)" ] || fail "a job that failed has an artifact"

# After the engine is killed, another engine continues its work.
expect 0 "$KML" submit --name late --output n=late -- sh -c 'until [ -e go ]; do sleep 0.05; done; echo late >late'
engine=$({ "$KML" run resume late 2>&1 || true; } | sed -n 's/.*by process \([0-9]*\).*/\1/p')
kill -9 "$engine"
touch go
freed() { "$KML" run list | grep late | grep -q interrupted; }
eventually freed
[[ $("$KML" runs) =~ run/late\ +late\ +Interrupted ]] || fail "$("$KML" runs)"
expect 2 "$KML" artifact get late/job.n
expect 0 "$KML" run resume late
expect 0 "$KML" artifact get late/job.n
[ "$out" = late ] || fail "$out"

# Impossible combinations.
expect 2 "$KML" submit --input d=iris-1/load.train -- cat '${in.data}'
contains "$err" 'the command does not use ${in.d}'
expect 2 "$KML" submit --input d=iris-1/load.trian -- cat '${in.d}'
contains "$err" "did you mean"
expect 2 "$KML" submit --output jsn -- true
contains "$err" "--output jsn=PATH"
expect 2 "$KML" submit --output a=b --array 0-3 -- true
contains "$err" "--array cannot be used with --input and --output"
expect 2 "$KML" submit --name rep --output a=b -- true
contains "$err" "run rep already exists"
expect 2 "$KML" submit --output a=b --code . -- true
contains "$err" "a folder that is deleted with the pod"
# --output with a format still chooses the format.
expect 0 "$KML" submit --output name -- true
contains "$out" "job.batch/true-"

# The engines of several submits are slow to start. Each submit waits until its engine has created the job.
for n in 1 2 3 4 5 6 7 8; do
  "$KML" submit --name side-$n --output n=n$n --wait -- sh -c "echo 1 >n$n" >side-$n.out 2>side-$n.err &
done
wait
for n in 1 2 3 4 5 6 7 8; do
  grep -q "^job side-$n submitted" side-$n.out || fail "$(cat side-$n.out side-$n.err)"
  grep -q "saved side-$n/job.n" side-$n.err || fail "$(cat side-$n.err)"
done
