# kml runs report: one HTML file that loads nothing; this test checks its data. tests/browser looks at the page.
. "$(dirname "$0")/lib.sh"
run() { expect 0 "$KML" submit --name "$1" --wait -- sh -c 'for step in 1 2 3; do echo "step=$step loss=0.$1"; done' sh "$2" --opt adam; }
run one 5
run two 25
expect 0 "$KML" runs note one '</script><script>window.hacked=1</script>'
expect 0 "$KML" delete one
expect 0 "$KML" submit --name long --wait -- sh -c 'seq -f "loss=%.0f" 5000'
printf '%s\n' 'apiVersion: kml.dev/v1' 'kind: Pipeline' 'metadata: {name: iris}' 'spec:' '  steps:' \
  '    load: {command: [sh, -c, "echo data >$0", "${out.train}"], outputs: {train: dataset}}' \
  '    train: {inputs: {train: load.train}, outputs: {model: model}, command: [cp, "${in.train}", "${out.model}"]}' >pipeline.yaml
expect 0 "$KML" run pipeline.yaml --name iris-1

data() { # FILE: the page's data
  sed -n 's|.*<script id="data" type="application/json">\(.*\)</script>$|\1|p' "$1"
}
ask() { data "$page" | python3 -c "
import json, sys
data = json.load(sys.stdin)
runs = {run['name']: run for run in data['runs']}
assert $1, json.dumps(data, indent=1)[:3000]"; }

expect 0 "$KML" runs report
[ "$out" = runs.html ] || fail "$out"
page=runs.html
[ "$(grep -o '<script' runs.html | wc -l)" = 2 ] || fail "the page has other scripts"
contains "$(cat runs.html)" "default-src 'none'"
[[ $(cat runs.html) != *'src='* && $(cat runs.html) != *'href='* ]] || fail "the page loads something"
ask "list(runs) == ['one', 'two', 'long', 'iris-1']"
ask "runs['one']['courses']['loss'] == {'count': 3, 'points': [[1, 0.5], [2, 0.5], [3, 0.5]]} and 'step' not in runs['one']['courses']"
ask "runs['one']['note'].startswith('</script>') and runs['one']['parameters'] == {'opt': 'adam'}"
ask "len(runs['two']['attempts']) == 1 and runs['two']['attempts'][0]['exitCode'] == 0"
ask "[runs['long']['courses']['loss']['count'], len(runs['long']['courses']['loss']['points'])] == [5000, 600]"
ask "runs['long']['courses']['loss']['points'][-1] == [4999, 5000.0]"
model="[a for a in runs['iris-1']['artifacts'] if a['name'] == 'iris-1/train.model'][0]"
ask "len($model['digest']) == 64 and $model['inputs']['train']['name'] == 'iris-1/load.train' and $model['made']['command'][0] == 'cp'"

expect 0 "$KML" runs report two one -o chosen.html
[ "$out" = chosen.html ] || fail "$out"
page=chosen.html ask "list(runs) == ['two', 'one']"
"$KML" runs report --where 'loss < 0.3' --sort loss -o - >piped.html
page=piped.html ask "list(runs) == ['two']"
expect 2 "$KML" runs report one --where 'loss < 1'
contains "$err" "RUN cannot be used with a flag that selects runs"
