# kml run: several mistakes in a file are reported at once, with their positions. A stranger's file must not use secrets.
. "$(dirname "$0")/lib.sh"
cat >bad.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: bad}
spec:
  steps:
    a: {command: [sh, "${out.data}"], outputs: {daat: file}, imgae: x}
    b: {inputs: {x: a.data}, after: [c], command: [b]}
    c: {after: [b], command: [c]}
Y
expect 2 "$KML" run bad.yaml
contains "$err" 'bad.yaml:6:23 spec.steps.a.command: ${out.data}: no output "data"; did you mean "daat"?'
contains "$err" 'bad.yaml:6:62 spec.steps.a: unknown key "imgae"; did you mean "image"?'
contains "$err" 'bad.yaml:7:21 spec.steps.b.inputs.x: step "a" has no output "data"; did you mean "daat"?'
contains "$err" 'steps wait for each other: b -> c -> b'
expect 1 "$KML" run nothing.yaml
contains "$err" "nothing.yaml"
expect 2 "$KML" run train.py
contains "$err" "kml submit -- train.py"
expect 2 "$KML" run stats
contains "$err" 'did you mean "status"?'
echo 'kind: Job' >job.yaml
expect 2 "$KML" run job.yaml
contains "$err" "not a pipeline"

# Settings are checked before the first step runs.
cat >settings.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: settings}
spec:
  steps:
    first: {command: [touch, ran]}
    later:
      after: [first]
      needs: [first]
      command: [a]
      gpus: lots
Y
expect 2 "$KML" run settings.yaml
contains "$err" '"needs" is called "after" here'
sed -i '/needs/d' settings.yaml
expect 2 "$KML" run settings.yaml
contains "$err" 'settings.yaml:10:13'
[ ! -e ran ] || fail "a step ran although another one is wrong"

cat >secret.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: secret}
spec:
  params: {name: {default: TOKEN}}
  steps: {a: {command: [sh, -c, 'test "$TOKEN" = abc'], secrets: ["${params.name}"]}}
Y
export TOKEN=abc
expect 2 "$KML" run secret.yaml
contains "$err" "secret.yaml is not trusted"
contains "$err" "kml trust secret.yaml"
expect 0 "$KML" trust secret.yaml
expect 0 "$KML" run secret.yaml
contains "$out" "a done"

# Tests settings of a step that are known only when it starts.
cat >later.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: later}
spec:
  steps:
    a: {command: [sh, -c, 'echo false >"$0"', "${out.n}"], outputs: {n: value}}
    b:
      inputs: {n: a.n}
      command: [sh, -c, 'echo "$TOKEN" >taken']
      secrets: {$if: "${in.n}", $then: [], $else: [TOKEN]}
Y
expect 3 "$KML" run later.yaml
contains "$out" "later.yaml is not trusted"
[ ! -e taken ] || fail "a stranger's file took a secret"
expect 0 "$KML" trust later.yaml
expect 0 "$KML" run later.yaml
[ "$(cat taken)" = abc ] || fail "a trusted file did not get its secret"
