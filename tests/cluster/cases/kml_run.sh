. "$(dirname "$0")/lib.sh"
# Runs a pipeline on a cluster: outputs return through the logs of pods, and reach later steps as Secrets.
kml() { timeout 1000 "$KML" "$@"; }
head='apiVersion: kml.dev/v1
kind: Pipeline
spec:
  defaults: {image: "localhost/busybox:1", node-selector: {kubernetes.io/hostname: node1}}'
mkdir three bad cut
cat >three/pipeline.yaml <<Y
$head
  params: {n: {type: int, default: 3}}
  steps:
    load:
      command: [sh, -c, 'printf "1\n2\n" >\${out.rows}; mkdir -p \${out.parts}/empty; echo deep >"\${out.parts}/a b"; ln -s "a b" \${out.parts}/link']
      outputs: {rows: dataset, parts: folder}
    train:
      inputs: {rows: load.rows, parts: load.parts}
      command: [sh, -c, 'cat \${in.rows} "\${in.parts}/link" >\${out.model}; ls -d \${in.parts}/empty; wc -l <\${in.rows} >\${out.count}; echo "accuracy=0.9\${params.n}"']
      outputs: {model: model, accuracy: {metric: accuracy}, count: value}
    report:
      when: train.accuracy > 0.9
      inputs: {model: train.model, count: train.count}
      command: [sh, -c, 'echo "model: \$(tr "\n" , <\${in.model}) count \${in.count}"']
metadata: {name: three}
Y

# Runs three steps with a file, a folder, a value and a metric.
expect 0 kml run three/pipeline.yaml
contains "$out" "train done"
contains "$out" "accuracy=0.93"
contains "$out" "count=2"
run=$(kml run list -o name)
expect 0 kml run logs "$run"
contains "$out" "model: 1,2,deep, count 2"
[[ "$out" != *kml-step* ]] || fail "what kml-step sends is among the lines: $out"
expect 0 kml run status "$run" -o jsonpath='{.steps[0].outputs.parts.path}'
[ "$(cat "$out/link")" = deep ] && [ -d "$out/empty" ] || fail "the folder is not here: $(ls -lR "$out")"
expect 0 k get pods -l kml.dev/step=load -o 'jsonpath={.items[0].status.containerStatuses[0].imageID}'
image=$out
grep -rqF "\"imageId\":\"$image\"" state/kml/artifacts/results || fail "the image $image is not in the result's record"

# The second run takes all results from the cache. With another parameter, one step runs with the same output, so the
# next step does not run.
expect 0 kml run three/pipeline.yaml
[ "$(grep -c cached <<<"$out")" = 3 ] || fail "not all cached: $out"
expect 0 kml run three/pipeline.yaml --dry-run -p n=4
contains "$out" "param n: 3 -> 4"
[ "$(k get jobs -o name | grep -c .)" = 3 ] || fail "jobs of what was cached: $(k get jobs)"

# The cause of a failed step is reported: its last line, a missing or too large output, or a missing program.
cat >bad/pipeline.yaml <<Y
$head
  steps:
    fails: {command: [sh, -c, 'echo no such column; exit 9'], onFailure: continue}
    big: {command: [sh, -c, 'head -c 4200000 /dev/urandom >\${out.x}'], outputs: {x: file}, onFailure: continue}
    none: {command: [sh, -c, "exit 0"], outputs: {x: file}, onFailure: continue}
    missing: {command: [/no/program], onFailure: continue}
metadata: {name: bad}
Y
expect 0 kml run bad/pipeline.yaml
contains "$out" "exit code 9: no such column"
contains "$out" "4 MiB is the limit for the pod's log: run the pipeline with --store pvc/NAME"
contains "$out" "did not write output x: nothing exists at /kml/data/out/x"
contains "$out" "cannot run /no/program: No such file or directory"

# With `code`, files are copied to the cluster and are part of the cache key. Without it, they are neither copied nor
# part of the key.
mkdir coded
cat >coded/pipeline.yaml <<Y
$head
  steps:
    with: {code: ., command: [sh, say.sh, "\${out.x}"], outputs: {x: file}}
    without: {command: [sh, -c, 'echo without >\${out.x}'], outputs: {x: file}}
metadata: {name: coded}
Y
echo 'echo one >$1' >coded/say.sh
expect 0 kml run coded/pipeline.yaml
echo 'echo two >$1' >coded/say.sh
expect 0 kml run coded/pipeline.yaml --dry-run
contains "$out" "say.sh changed"
[ "$(grep -c HIT <<<"$out")" = 1 ] || fail "not one of them: $out"

# The engine is killed in the middle and started again; each step has one job. The second step ends while no engine
# runs.
cat >cut/pipeline.yaml <<Y
$head
  steps:
    one: {command: [sh, -c, 'echo 1 >\${out.x}'], outputs: {x: file}}
    two: {inputs: {x: one.x}, command: [sh, -c, 'until [ -e /go ]; do sleep 0.1; done; cp \${in.x} \${out.x}; cat \${out.x}'], outputs: {x: file}}
    three: {inputs: {x: two.x}, command: [sh, -c, "cat \${in.x}"]}
metadata: {name: cut}
Y
"$KML" run cut/pipeline.yaml >first 2>&1 &
pid=$!
two_runs() { k get pods -l kml.dev/step=two -o 'jsonpath={.items[*].status.phase}' | grep -q Running; }
eventually two_runs
kill -9 $pid
wait $pid 2>/dev/null || true
k exec "$(k get pods -l kml.dev/step=two -o name)" -- /bin/busybox touch /go || true # its pod may end first
k wait --for=condition=complete job -l kml.dev/step=two --timeout=1000s >/dev/null
expect 0 kml run cut/pipeline.yaml
contains "$err" "was interrupted; continuing it"
contains "$out" "two done"
for step in one two three; do
  [ "$(k get jobs -l kml.dev/step=$step -o name | grep -c .)" = 1 ] || fail "not one job of $step: $(k get jobs)"
done

# Deleting a run also deletes everything that was copied for it.
for run in $(kml run list -o name); do expect 0 kml run delete "$run"; done
gone() { [ -z "$(k get jobs,secrets -o name; k get configmaps -o name | grep kml-)" ]; }
eventually gone
