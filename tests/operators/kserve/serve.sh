. "$(dirname "$0")/../lib.sh"
# `kml serve -t kserve`: an InferenceService is updated, rolled back and stopped in the same way as a
# Deployment of `kml serve`.
kinds=pods,deployments,replicasets,inferenceservices
of=serving.kserve.io/inferenceservice
web() { # FLAG... -- COMMAND...
  timeout "$patience" "$KML" serve web -t kserve --image localhost/busybox:1 --node-selector kubernetes.io/hostname=node1 \
    --cpu 10m --memory 20Mi --grace 10s "$@"
}
httpd='mkdir -p /www; echo hello >/www/index.html; exec httpd -f -h /www -p $PORT'
column() { "$KML" serve list 2>&1 | awk -v column="$1" '$1 == "web" { print $column }'; }
said_by() { local got=0; said=$("$@" 2>&1) || got=$?; echo "exit code $got: $said"; }
check_says "serve" "the address" 'exit code 0: .*http://web-predictor' "$(said_by web -- sh -c "echo one; $httpd")"
check "its kind" "web" "$(k get inferenceservices -o 'jsonpath={.items[*].metadata.name}')"
check "pods" "1 Running" "$(phases $of=web)"
check_says "serve list" "web, 1 of 1 pods, revision 1" 'web +1/1 +1 .* Running +http://web-predictor' "$("$KML" serve list 2>&1)"
check_says "serve status" "by KServe, 1 of 1 ready" 'by KServe.*1 of 1 ready.*web-predictor' "$(say serve status web)"
check "list" "Running 1/1 0" "$(listed web)"
check_says "serve logs" one one "$(say serve logs web)"
check_says "why" "it runs" 'runs' "$(say why web)"
check_says "exec" one "hello" "$(say exec web -- cat /www/index.html)"
timeout "$patience" "$KML" port web 8080 >ports 2>port.err & forward=$!
forwarded() { [ "$(curl -sS http://127.0.0.1:8080/ 2>/dev/null)" = hello ]; }
soon 60 forwarded || true
check "port" hello "$(curl -sS http://127.0.0.1:8080/ 2>&1)"
kill $forward; wait $forward || true
check_says "the same again" "revision 1" 'revision 1' "$(said_by web -- sh -c "echo one; $httpd")"
check "its revision" 1 "$(column 3)"
check_says "two replicas" "2 of 2, revision 1" '2 of 2 replicas ready, revision 1' "$(said_by web --replicas 2 -- sh -c "echo one; $httpd")"
check_says "an update" "2 of 2, revision 2" '2 of 2 replicas ready, revision 2' "$(said_by web -- sh -c "echo two; $httpd")"
check_says "its command" two "echo two" "$("$KML" serve list 2>&1)"
check_says "an update that crashes" "exit code 3, rolled back" 'exit code 3: .*cannot load.*rolled back to the previous revision' \
  "$(said_by web -- sh -c 'echo cannot load; exit 7')"
back() { [ "$(phases $of=web)" = "2 Running" ]; }
soon 60 back || true
check "pods after that" "2 Running" "$(phases $of=web)"
check_says "its command after that" two "echo two" "$("$KML" serve list 2>&1)"
check_says "revisions" "1 and 2 were ready, 3 failed" '1 .*was ready.*failed: .*exit code 7' "$(say serve revisions web)"
check_says "a secret" "revision" 'exit code 0.*2 of 2 replicas ready' "$(TOKEN=s said_by web --secret TOKEN -- sh -c "echo \$TOKEN; $httpd")"
owner() { k get secrets -o 'jsonpath={.items[*].metadata.ownerReferences[*].kind}'; }
check "the owner of the secret" ReplicaSet "$(owner)"
check_says "rollback" "to revision 1" 'exit code 0: .*rolled back to revision 1' "$(said_by "$KML" serve rollback web --revision 1)"
check_says "its command after that" one "echo one" "$("$KML" serve list 2>&1)"
check "replicas after that" 2/2 "$(column 2)"

# Tests the same program without KServe, and InferenceServices of others.
check_says "serve without -t kserve" "refused" 'web is served by KServe.*add -t kserve' "$(said_by "$KML" serve web --image localhost/busybox:1 -- true)"
k apply -f - >/dev/null <<'C'
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: other}
spec:
  predictor:
    nodeSelector: {kubernetes.io/hostname: node1}
    containers: [{name: kserve-container, image: localhost/busybox:1, command: [sleep, "3600"], resources: &r {limits: {cpu: 10m, memory: 20Mi}, requests: {cpu: 10m, memory: 20Mi}}}]
C
lists_other() { "$KML" serve list 2>&1 | grep -q '^other '; }
soon 60 lists_other || true
check_says "list of others" "other" '(^| )other ' "$("$KML" serve list 2>&1)"
check_says "stop of others" "refused" 'was not made by kml' "$(said_by "$KML" serve stop other)"
# Tests a program that does not fit, and the stop.
check_says "too large" "exit code 1" 'exit code [13]: .*web.*cannot run|exit code 3' "$(said_by web --gpus 64 -- true)"
check_says "stop" "web is stopped" 'web is stopped' "$(said_by "$KML" serve stop web)"
gone() { [ -z "$(phases $of=web)" ]; }
soon 60 gone || true
check "its pods, stopped" "" "$(phases $of=web)"
k delete inferenceservice other >/dev/null

# Tests a step of a pipeline.
cat >run.yaml <<C
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: made}
spec:
  steps:
    web:
      image: localhost/busybox:1
      node-selector: {kubernetes.io/hostname: node1}
      cpu: 10m
      memory: 20Mi
      serve: {name: web, template: kserve, command: [sh, -c, '$httpd']}
C
sed -i 's/\$PORT/$$PORT/' run.yaml
check_says "run: a serve step" "exit code 0" 'exit code 0' "$(said_by timeout "$patience" "$KML" run run.yaml)"
check "run: its kind" "web" "$(k get inferenceservices -l app.kubernetes.io/managed-by=kml -o 'jsonpath={.items[*].metadata.name}')"
check_says "run: its address" 'http://web-predictor' 'web +1/1 .* Running +http://web-predictor' "$("$KML" serve list 2>&1)"
