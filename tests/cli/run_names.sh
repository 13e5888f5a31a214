# In a pipeline file, y, n, on and 1.50 are names like others, although YAML reads them as booleans or numbers.
. "$(dirname "$0")/lib.sh"
cat >p.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: names}
spec:
  steps:
    y:
      command: [sh, -c, 'echo "Y is $$Y"']
      env: {Y: why, N: not, on: off}
    each:
      foreach: {n: {y: 1, 1.50: n}}
      command: [echo, "${item.n.key} is ${item.n.value}"]
    tune:
      sweep: {param: {y: "1,2", on: "3"}, maximize: score, trials: 2, parallel: 1}
      command: [sh, -c, 'echo "score={y}"; echo "args: $$*"', sh, "{args}"]
    use:
      inputs: {best: tune.best.y, other: tune.best.on}
      command: [echo, "best is ${in.best}, on is ${in.other}"]
Y
expect 0 "$KML" run p.yaml --name names
expect 0 "$KML" run logs names
contains "$out" "Y is why"
contains "$out" "y is 1"
contains "$out" "1.50 is n"
contains "$out" "best is 2, on is 3"
expect 0 "$KML" sweep logs names-tune
contains "$out" "--y=2"
contains "$out" "--on=3"
