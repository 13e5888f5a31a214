# The report of runs, in a browser without a network: each metric has its curves, and no error is logged.
[ -n "$(type -P chromium chromium-browser google-chrome)" ] || { echo "skipped: there is no chromium"; exit 77; }
. "$(dirname "$0")/../cli/lib.sh"
git init -q code && cd code
git config user.email ana@example.com && git config user.name ana
echo 'print(1)' >train.py && git add . && git commit -qm one
echo "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=1'>" >>train.py
train='for step in 1 2 3 4 5 6 7 8; do echo "step=$step loss=$(echo "$step $1" | awk "{print \$2 / \$1}") __proto__=0.5"; echo "{\"step\": $step, \"<b>acc</b>\": 0.9}"; done; echo "step=9 loss=nan"; echo "step=10 loss=0.1"; sleep 0.1'
for number in 1 2 3 4 5 6 7 8 9; do
  expect 0 "$KML" submit --name "run-$number" --wait -- sh -c "$train" sh "$number" "--lr=0.$number" --opt adam "--constructor=<img src=x onerror='window.hacked=1'>"
done
expect 3 "$KML" submit --name broken --wait -- sh -c 'exit 1'
hostile="</script><script>window.hacked=1</script><!-- <img src=x onerror='window.hacked=1'>"
expect 0 "$KML" runs note run-1 "$hostile"
expect 0 "$KML" runs tag run-2 "$hostile=$hostile"
printf '%s\n' 'apiVersion: kml.dev/v1' 'kind: Pipeline' 'metadata: {name: iris}' 'spec:' '  steps:' \
  '    load: {command: [sh, -c, "echo data >$0", "${out.train}"], outputs: {train: dataset}}' \
  '    train: {inputs: {train: load.train}, outputs: {model: model}, command: [cp, "${in.train}", "${out.model}"]}' >pipeline.yaml
expect 0 "$KML" run pipeline.yaml --name iris-1
expect 0 "$KML" runs report -o all.html
expect 0 "$KML" runs report run-1 -o one.html
python3 "$SOURCE/tests/browser/runs.py" ${PICTURES:+--pictures "$PICTURES"} all.html one.html
