# kml reads a number such as 010 in the same way as the tool whose file format it is: Kubernetes and PyYAML
# read it as octal, and where a text is expected, it stays as it was typed. Fixes name the typed text.
. "$(dirname "$0")/lib.sh"
# Tests manifests, which kml reads as kubectl does.
manifest() { # PARALLELISM COMPLETIONS VALUE
  printf 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: o}\nspec:\n  parallelism: %s\n  completions: %s\n  template: {spec: {restartPolicy: Never, containers: [{name: m, image: i, command: ["true"], env: [{name: A, value: %s}]}]}}\n' "$@" >job.yaml
}
manifest 010 0o11 '"010"'
expect 0 "$KML" submit -f job.yaml --dry-run -o 'jsonpath={.spec.parallelism} {.spec.completions} {.spec.template.spec.containers[0].env[0].value}'
[ "$out" = "8 9 010" ] || fail "$out"
for typed in 010 0o17 0x1F 1_000 1e3 3.10 yes; do
  manifest 1 1 $typed
  expect 2 "$KML" submit -f job.yaml --dry-run
  contains "$err" "this must be a string: write \"$typed\""
  expect 0 "$KML" submit --dry-run --env "A=$typed" -o 'jsonpath={.spec.template.spec.containers[0].env[?(@.name=="A")].value}' -- true
  [ "$out" = "$typed" ] || fail "--env A=$typed: $out"
done
# Texts in kml.yaml.
printf 'env: {A: 010, B: 0o17}\n' >kml.yaml
expect 0 "$KML" trust kml.yaml
expect 0 "$KML" submit --dry-run -o 'jsonpath={.spec.template.spec.containers[0].env[3:].value}' -- true
[ "$out" = "010 0o17" ] || fail "$out"
rm kml.yaml
# Tests sweeps: values in kml's own file reach the command as typed; values in W&B's file, as PyYAML reads
# them.
trials() { sed -n 's/^trial [0-9]*  x=//p' <<<"$out" | tr '\n' ' '; }
printf 'apiVersion: kml.dev/v1\nkind: Sweep\nmetadata: {name: s}\nspec:\n  maxTrialCount: 3\n  objective: {type: minimize, objectiveMetricName: loss}\n  algorithm: {algorithmName: grid}\n  parameters: [{name: x, parameterType: categorical, feasibleSpace: {list: [010, 0o11, 1]}}]\n' >s.yaml
expect 0 "$KML" sweep run -f s.yaml --dry-run -- echo '{x}'
[ "$(trials)" = "010 0o11 1 " ] || fail "$out"
printf 'method: grid\nprogram: train.py\nmetric: {name: loss, goal: minimize}\nparameters: {x: {values: [010, 0o11, 1_0]}}\n' >w.yaml
touch train.py
expect 0 "$KML" sweep run w -f w.yaml --dry-run
[ "$(trials)" = "8 0o11 10 " ] || fail "$out"
# Tests pipelines: values stay as typed, because they are for command lines, where 3.10 is a version and 007 a
# name.
printf 'apiVersion: kml.dev/v1\nkind: Pipeline\nmetadata: {name: p}\nspec:\n  params: {n: {type: int, default: 010}, t: {type: string, default: "010"}}\n  steps: {a: {env: {A: 010}, command: [sh, -c, "echo $0 $1 $A >$2", "${params.n}", "${params.t}", "${out.o}"], outputs: {o: value}}}\n' >p.yaml
expect 0 "$KML" run p.yaml --name p1
contains "$out$err" "o=010 010 010"
expect 0 "$KML" run p.yaml --name p2 -p t=0o7
contains "$out$err" "o=010 0o7 010"
