# A parameter that only some trials have, and a constraint: commands only get points inside the space.
. "$(dirname "$0")/lib.sh"
cat >sweep.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Sweep
metadata: {name: c1}
spec:
  objective: {type: maximize, objectiveMetricName: score}
  algorithm: {algorithmName: grid}
  parameters:
    - {name: opt, parameterType: categorical, feasibleSpace: {list: [adam, sgd]}}
    - {name: batch, parameterType: discrete, feasibleSpace: {list: [1, 2, 4]}}
    - {name: accum, parameterType: int, feasibleSpace: {min: 1, max: 2}}
    - {name: momentum, parameterType: discrete, feasibleSpace: {list: [0.5, 0.9]}, condition: {parameter: opt, values: [sgd]}}
  constraints: [batch * accum <= 4, momentum + batch / 10 < 1.15]
  trialTemplate:
    trialSpec:
      apiVersion: batch/v1
      kind: Job
      spec:
        template:
          spec:
            restartPolicy: Never
            containers:
              - name: main
                command: [sh, -c, 'echo "$@" "<{momentum}> score=1"; echo "$@" >>points', sh, "{args}"]
                workingDir: WORK
Y
sed -i "s|WORK|$work|" sweep.yaml
expect 0 "$KML" sweep run -f sweep.yaml
contains "$err" "all of the space has been tried"
[[ "$err" != *"not started"* ]] || fail "$err"
python3 - >wanted <<'P'
for batch in 1, 2, 4:
    for accum in 1, 2:
        if batch * accum <= 4:
            point = f"--batch={batch} --accum={accum}"
            print(f"--opt=adam {point}")
            for momentum in 0.5, 0.9:
                if momentum + batch / 10 < 1.15:
                    print(f"--opt=sgd {point} --momentum={momentum}")
P
diff <(sort wanted) <(sort points) || fail "other points"
expect 0 "$KML" sweep logs c1 0
contains "$out" "--opt=adam --batch=1 --accum=1 <> score=1"
