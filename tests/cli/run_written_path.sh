. "$(dirname "$0")/lib.sh"
# A step may write its output to a path in the folder of the code. The file is then not code of this step, nor
# of steps that do not wait for this step. A step that waits for this step may read the file, so it runs again
# if the file has changed.
mkdir project
cd project
cat >p.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: paths}
spec:
  steps:
    train: {command: [sh, -c, 'echo train >>../ran; echo m >"$0"', "${out.m}"], outputs: {m: model}}
    eval:
      inputs: {m: train.m}
      command: [sh, -c, 'echo eval >>../ran; mkdir -p report/figures; echo 1 >report/out.txt; echo f >report/figures/f']
      outputs: {r: {path: report/out.txt, kind: file}, f: {path: report/figures, kind: folder}}
    show: {after: [eval], command: [sh, -c, 'echo show >>../ran; cat report/out.txt']}
Y
# runs STEP...: checks which steps run, in order of their names.
runs() {
  : >../ran
  expect 0 timeout 1000 "$KML" run p.yaml
  [ "$(sort ../ran | xargs)" = "$*" ] || fail "$(sort ../ran | xargs) ran, not $*"
}
runs eval show train
[[ "$err" != *"is not kept"* ]] || fail "$err"
runs
# The file is changed by hand, and then by its step.
echo 2 >report/out.txt
runs show
sed -i 's/echo 1 >report/echo 3 >report/' p.yaml
runs eval show
runs
# Any other new file is code of all steps.
echo x >report/other
runs eval show train

# One path for all steps of a foreach makes no sense.
sed 's|report/out.txt, kind: file|"report-${item.x}.txt", kind: file|' p.yaml >q.yaml
expect 2 "$KML" run q.yaml
contains "$err" 'the path has a placeholder; leave it out, and write to ${out.r} instead'
