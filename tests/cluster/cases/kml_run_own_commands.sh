. "$(dirname "$0")/lib.sh"
# Steps that are a sweep and a served model, in a pipeline whose engine is a job of the cluster. Its pod is killed
# during the sweep, which continues: each trial's job is created once, according to the audit log.
kml() { timeout 1000 "$KML" "$@"; }
need_engine_image
need_volume runs ReadWriteMany
earlier=$(wc -l <"$cluster_state/audit.log") # entries of an earlier namespace with this name

# The settings of kml.yaml, which the engine's pod does not have, apply to trials and replicas too.
echo '{image: "localhost/busybox:1", node-selector: {kubernetes.io/hostname: node1}}' >kml.yaml
kml trust >/dev/null 2>&1
cat >pipeline.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: own}
spec:
  params: {greeting: {default: hello}}
  steps:
    load:
      command: [sh, -c, 'echo ${params.greeting} >${out.words}']
      outputs: {words: file}
    tune:
      inputs: {words: load.words}
      sweep: {param: {x: "1,2,3,4,5,6"}, maximize: score, trials: 6, parallel: 2, algorithm: grid}
      command: [sh, -c, 'read word <${in.words}; [ "$$word" = ${params.greeting} ] || exit 1; /bin/busybox sleep 2; echo score=$$0', "{x}"]
    serve:
      inputs: {words: load.words, x: tune.best.x}
      serve:
        name: greeter
        command: [sh, -c, 'mkdir -p /tmp/w; echo best ${in.x} >/tmp/w/index.html; cat ${in.words} >>/tmp/w/index.html; exec /bin/busybox httpd -f -p $$PORT -h /tmp/w']
        port: 8080
    tell:
      inputs: {url: serve.url}
      command: [sh, -c, 'echo ${in.url}']
Y
expect 0 kml run pipeline.yaml --name r1 --in-cluster --engine-image "$image" --store pvc/runs
begun() { [ "$(k get jobs -l kml.dev/sweep=r1-tune -o name | wc -l)" -ge 2 ]; }
eventually begun
k delete pod -l kml.dev/run-engine=r1 --force --grace-period=0 >/dev/null 2>&1
expect 2 kml run logs r1 tune
contains "$err" "kml logs -l kml.dev/sweep=r1-tune"
expect 0 kml run attach r1
contains "$out" "best.x=6"
contains "$out" "url=http://greeter.$namespace:8080"
contains "$out" "tell done"
answer() { k get --raw "/api/v1/namespaces/$namespace/services/greeter:8080/proxy/"; }
# The proxy learns a moment later than the Deployment that a pod is ready.
answers() { [ "$(answer)" = $'best 6\nhello' ]; }
(eventually answers) || fail "it answers: $(answer)"
made() { tail -n "+$((earlier + 1))" "$cluster_state/audit.log" | grep '"verb":"create"' | grep "/namespaces/$namespace/jobs" | grep '"stage":"ResponseComplete"' | grep '"code":201' | grep -v dryRun=; }
[ "$(made | grep -c ":$namespace:r1-engine\"")" = 8 ] || fail "$(made | wc -l) jobs were made: $(made | cut -c1-300)"
[ "$(k get jobs -l kml.dev/sweep=r1-tune -o name | wc -l)" = 6 ] || fail "$(k get jobs)"
# The engine may note on the revision that it was ready.
noted() { k get replicasets -l kml.dev/serve=greeter -o 'jsonpath={.items[*].metadata.annotations.kml\.dev/rollout}'; }
[ "$(noted)" = ready ] || fail "the revision says: $(noted)"
expect 0 kml serve list
contains "$out" "greeter  1/1    1"

# The step of a served model runs each time. A changed input makes a new revision; an unchanged one does not.
sed -i 's/^metadata.*/metadata: {name: again}/' pipeline.yaml
expect 0 kml run pipeline.yaml --name r2 --store pvc/runs
contains "$out" "serve done"
expect 0 kml serve list
contains "$out" "greeter  1/1    2"
expect 0 kml run pipeline.yaml --name r3 --store pvc/runs
contains "$out" "load cached"
contains "$out" "tune cached"
contains "$out" "serve done"
expect 0 kml serve list
contains "$out" "greeter  1/1    2"

# Sweeps and served models also read files of this machine, which kml copies to the volume.
echo here >words
cat >files.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: files}
spec:
  steps:
    tune:
      inputs: {words: {path: words}}
      sweep: {param: {x: "1,2"}, maximize: score, trials: 2, algorithm: grid}
      command: [sh, -c, 'read word <${in.words}; [ "$$word" = here ] || exit 1; echo score=$$0', "{x}"]
    serve:
      inputs: {words: {path: words}, x: tune.best.x}
      serve:
        name: files
        command: [sh, -c, 'mkdir -p /tmp/w; cp ${in.words} /tmp/w/index.html; exec /bin/busybox httpd -f -p $$PORT -h /tmp/w']
        port: 8080
Y
expect 0 kml run files.yaml --name files --store pvc/runs
files_answer() { [ "$(k get --raw "/api/v1/namespaces/$namespace/services/files:8080/proxy/")" = here ]; }
eventually files_answer
expect 0 kml serve stop files

# Serves an artifact on a run's volume without a pipeline.
expect 0 kml serve direct --input words=r2/load.words -- sh -c 'mkdir -p /tmp/w; cp ${in.words} /tmp/w/index.html; exec /bin/busybox httpd -f -p $PORT -h /tmp/w'
direct_answers() { [ "$(k get --raw "/api/v1/namespaces/$namespace/services/direct:8080/proxy/")" = hello ]; }
eventually direct_answers

# A server that does not start fails its step, with the cause.
sed -i 's/exec .bin.busybox httpd/exit 7; exec httpd/' pipeline.yaml
expect 3 kml run pipeline.yaml --name r4 --store pvc/runs
contains "$err" "step serve failed: the update of greeter failed"
contains "$err" "exit code 7"
expect 0 kml serve stop greeter

# Deleting the run also deletes its sweep's trials.
expect 0 kml run delete r1
contains "$err" "/journal/sweeps/r1-tune"
gone() { [ -z "$(k get configmaps,secrets,roles,rolebindings,jobs,pods -o name | grep -e r1)" ]; }
eventually gone
