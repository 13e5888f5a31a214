# A pipeline's `code` folder is relative to the pipeline's file, wherever kml is called. The file's own folder needs
# no trust, but a folder outside it does.
. "$(dirname "$0")/lib.sh"
mkdir -p project/steps/inner
pipeline() { # CODE
  cat >project/steps/p.yaml <<Y
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: p}
spec: {steps: {one: {code: $1, command: [sh, -c, "echo 1"]}}}
Y
}
pipeline .
touch project/steps/say.sh
for folder in . project/steps project/steps/inner /; do
  expect 0 bash -c "cd $folder && '$KML' run '$work/project/steps/p.yaml' --dry-run"
done
pipeline ..
for folder in . project/steps project/steps/inner /; do
  expect 2 bash -c "cd $folder && '$KML' run '$work/project/steps/p.yaml' --dry-run"
  contains "$err" "sends a folder outside the folder of"
done
