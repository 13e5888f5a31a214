# A compiled pipeline with an artifact as an input gets a file for it. Its task runs again when the file changes.
. "$(dirname "$0")/lib.sh"
mkdir project && cd project
cat >pipeline.yaml <<'EOF'
components:
  comp-count:
    executorLabel: exec-count
    inputDefinitions: {artifacts: {lines: {artifactType: {schemaTitle: system.Dataset}}}}
    outputDefinitions: {parameters: {n: {parameterType: NUMBER_INTEGER}}}
deploymentSpec:
  executors:
    exec-count:
      container:
        image: busybox
        command: [sh, -c, 'wc -l <"$0" | tr -d " " >"$1"', "{{$.inputs.artifacts['lines'].path}}", "{{$.outputs.parameters['n'].output_file}}"]
pipelineInfo: {name: count-lines}
root:
  dag:
    tasks:
      count:
        cachingOptions: {enableCache: true}
        componentRef: {name: comp-count}
        inputs: {artifacts: {lines: {componentInputArtifact: data}}}
  inputDefinitions: {artifacts: {data: {artifactType: {schemaTitle: system.Dataset}}}}
schemaVersion: 2.1.0
sdkVersion: kfp-2.17.3
EOF
printf 'a\nb\n' >data.txt
expect 2 "$KML" run pipeline.yaml
contains "$err" "-p data=FILE"
# A file that does not exist is an error before anything runs, as with --dry-run.
for flag in "" --dry-run; do
  expect 2 "$KML" run pipeline.yaml -p data=nothing.txt $flag
  contains "$err" "cannot read input"
  contains "$err" "nothing.txt"
  [ -z "$out" ] || fail "$out"
done
expect 0 "$KML" run list -o json
[ "$out" = "[]" ] || fail "a run was made: $out"
expect 0 "$KML" run pipeline.yaml -p data=data.txt
contains "$out" "count done"
contains "$out" "n=2"
expect 0 "$KML" run pipeline.yaml -p data=data.txt
contains "$out" "count cached"
echo c >>data.txt
expect 0 "$KML" run pipeline.yaml -p data=data.txt
contains "$out" "n=3"
