# A metric that is NaN: the step shows it, a condition on it does not hold, and the step's result is not reused.
. "$(dirname "$0")/lib.sh"
mkdir project && cd project
cat >pipeline.yaml <<'EOF'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: odd}
spec:
  steps:
    train: {command: [echo, loss=nan], outputs: {loss: metric}}
    deploy: {when: train.loss < 5, command: ["true"]}
EOF
expect 0 "$KML" run pipeline.yaml
contains "$out" "loss=NaN"
contains "$out" "deploy skipped  train.loss < 5 does not hold: train.loss is NaN"
expect 0 "$KML" run pipeline.yaml --dry-run
contains "$out" "its metric loss was NaN"
expect 0 "$KML" run pipeline.yaml
contains "$out" "train done"
