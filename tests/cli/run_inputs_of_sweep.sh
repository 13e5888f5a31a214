# On a cluster, sweeps and served models read files only from a volume. kml says so before any step runs.
. "$(dirname "$0")/lib.sh"
kubeconfig_of_cluster
export KUBECONFIG=$work/kubeconfig KML_CONTEXT=there AWS_ACCESS_KEY_ID=tester AWS_SECRET_ACCESS_KEY=sesame AWS_REGION=us-east-1
cat >p.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: own}
spec:
  defaults: {image: trainer:1}
  steps:
    load:
      command: [load, "${out.words}"]
      outputs: {words: file, rows: value}
    tune:
      inputs: {words: load.words, rows: load.rows}
      sweep: {param: {x: "1,2"}, maximize: score, trials: 2}
      command: [train, "${in.words}", "{x}", "${in.rows}"]
Y
run() { timeout 1000 "$KML" run "$@"; }
expect 2 run p.yaml
contains "$err" 'step tune cannot read its input words on this cluster'
contains "$err" 'the pods of a sweep read files only from a volume'
contains "$err" '--store pvc/NAME'
expect 2 run p.yaml --store s3://made/team --dry-run
contains "$err" 'read files only from a volume, not from a bucket'
expect 0 run p.yaml --store pvc/data --dry-run
sed 's/words: load.words, //; s/"${in.words}", //' p.yaml >values.yaml
expect 0 run values.yaml --dry-run
echo x >model
sed '/^    tune/,$d' p.yaml >serve.yaml
cat >>serve.yaml <<'Y'
    serve: {inputs: {model: {path: model}}, serve: {name: m, command: [serve, "${in.model}"], port: 8080}}
Y
expect 2 run serve.yaml
contains "$err" 'step serve cannot read its input model on this cluster'
contains "$err" 'the pods of a served model read'
# With a volume, kml copies this machine's files to it.
expect 0 run serve.yaml --store pvc/data --dry-run
sed 's/words: load.words/words: {path: model}/' p.yaml >sweep.yaml
expect 2 run sweep.yaml --dry-run
contains "$err" "fix: keep the run's files on a volume: --store pvc/NAME"
expect 0 run sweep.yaml --store pvc/data --dry-run
