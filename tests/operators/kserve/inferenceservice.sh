. "$(dirname "$0")/../lib.sh"
# An InferenceService that KServe runs as a Deployment.
kinds=pods,deployments,inferenceservices
cat >iris.yaml <<'C'
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: iris}
spec:
  predictor:
    nodeSelector: {kubernetes.io/hostname: node1}
    containers:
    - name: kserve-container
      image: localhost/busybox:1
      command: [sh, -c, 'echo serving; exec httpd -f -p 8080']
      resources: {limits: {nvidia.com/gpu: 1, cpu: 100m, memory: 50Mi}, requests: {nvidia.com/gpu: 1, cpu: 10m, memory: 10Mi}}
C
check_runs "submit -f" 0 "$KML" submit -f iris.yaml
of=serving.kserve.io/inferenceservice
eventually are $of=iris "1 Running"
ready() { [ "$(k get inferenceservice iris -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}')" = True ]; }
soon 60 ready || true
check_says "serve list" "iris, 1 of 1 pods" 'iris.* 1/1' "$(say serve list)"
check_says "queue" "one row, iris" 'inferenceservice/iris|isvc/iris|serve.*iris' "$(say queue --no-headers)"
check "list" "Running 1/1 1" "$(listed iris)"
check_says "logs" serving serving "$(say logs iris -o raw)"
check_runs "why" 0 "$KML" why iris
check_runs "stop" 0 "$KML" serve stop iris
gone() { [ -z "$(phases $of=iris)" ]; }
soon 90 gone || true
check "its pods, stopped" "" "$(phases $of=iris)"
