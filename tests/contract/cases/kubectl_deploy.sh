. "$(dirname "$0")/../lib.sh"
# Tests Deployments for a user of kubectl: apply, get, scale, rollout status, history, undo, restart, pause, and delete.
deployment() { # NAME SCRIPT
  cat <<C
apiVersion: apps/v1
kind: Deployment
metadata: {name: $1, labels: {app: $1}}
spec:
  replicas: 2
  progressDeadlineSeconds: 600
  selector: {matchLabels: {app: $1}}
  strategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 0, maxSurge: 1}}
  template:
    metadata: {labels: {app: $1}}
    spec:
      terminationGracePeriodSeconds: 1
      nodeSelector: {contract: here}
      containers:
      - name: main
        image: "localhost/busybox:1"
        command: [sh, -c, '$2']
        readinessProbe: {exec: {command: [sh, -c, "exit 0"]}, periodSeconds: 1}
C
}
deployment web 'sleep 1000' >web.yaml
expect 0 k apply -f web.yaml
[ "$out" = "deployment.apps/web created" ] || fail "$out"
expect 0 k rollout status deployment/web --timeout=1000s
contains "$out" 'deployment "web" successfully rolled out'
expect 0 k get deployment web
matches "$out" 'NAME +READY +UP-TO-DATE +AVAILABLE +AGE'
matches "$out" 'web +2/2 +2 +2 '
expect 0 k get rs -l app=web
matches "$out" 'NAME +DESIRED +CURRENT +READY +AGE'
matches "$out" 'web-[a-z0-9]+ +2 +2 +2 '
expect 0 k get deployment web -o jsonpath='{.spec.strategy.type} {.spec.revisionHistoryLimit} {.spec.template.spec.restartPolicy} {.metadata.annotations.deployment\.kubernetes\.io/revision}'
[ "$out" = "RollingUpdate 10 Always 1" ] || fail "defaults: $out"
expect 0 k get deployment web -o jsonpath='{.status.conditions[?(@.type=="Available")].reason} {.status.conditions[?(@.type=="Progressing")].reason}'
[ "$out" = "MinimumReplicasAvailable NewReplicaSetAvailable" ] || fail "conditions: $out"
scaled='Normal +ScalingReplicaSet +[0-9ms]+ +deployment-controller +Scaled up replica set web-[a-z0-9]+ from 0 to 2'
told() { [[ "$(k describe deployment web)" =~ $scaled ]]; }
eventually told
expect 0 k apply -f web.yaml
[ "$out" = "deployment.apps/web unchanged" ] || fail "$out"

# Updates the Deployment, and undoes the update. A restart is also an update.
deployment web 'sleep 2000' >web.yaml
expect 0 k apply -f web.yaml
expect 0 k rollout status deployment/web --timeout=1000s
expect 0 k rollout history deployment/web
matches "$out" $'\n1 .*\n2 '
expect 0 k rollout undo deployment/web
contains "$out" "deployment.apps/web rolled back"
expect 0 k rollout status deployment/web --timeout=1000s
expect 0 k get deployment web -o jsonpath='{.spec.template.spec.containers[0].command[2]}'
[ "$out" = "sleep 1000" ] || fail "undone: $out"
expect 0 k rollout history deployment/web
matches "$out" $'\n2 .*\n3 '
expect 0 k rollout restart deployment/web
expect 0 k rollout status deployment/web --timeout=1000s
expect 0 k get rs -l app=web -o name
[ "$(wc -l <<<"$out")" = 3 ] || fail "ReplicaSets: $out"

# Scales the Deployment through its subresource. While it is paused, an update waits.
expect 0 k scale deployment/web --replicas=3
contains "$out" "deployment.apps/web scaled"
expect 0 k rollout status deployment/web --timeout=1000s
expect 0 k get --raw "/apis/apps/v1/namespaces/$namespace/deployments/web/scale"
contains "$out" '"kind":"Scale"'
contains "$out" '"replicas":3'
expect 0 k rollout pause deployment/web
expect 0 k set env deployment/web A=1
expect 0 k wait --for=jsonpath='{.status.conditions[?(@.type=="Progressing")].reason}'=DeploymentPaused deployment/web --timeout=1000s
expect 0 k get rs -l app=web -o name
[ "$(wc -l <<<"$out")" = 3 ] || fail "a paused Deployment was rolled out: $out"
expect 0 k rollout resume deployment/web
expect 0 k rollout status deployment/web --timeout=1000s

# A lost pod is replaced. A rollout waits for pods that crash again and again. The pods of the last rollout may still be
# stopping.
three_pods() { [ "$(k get pods -l app=web -o name | wc -l)" = 3 ]; }
eventually three_pods
pod=$(k get pods -l app=web -o jsonpath='{.items[0].metadata.name}')
expect 0 k delete pod "$pod"
expect 0 k rollout status deployment/web --timeout=1000s
expect 0 k wait --for=jsonpath='{.status.availableReplicas}'=3 deployment/web --timeout=1000s
# The probe always fails, because a pod that is ready for only a moment would complete the rollout.
deployment broken 'exit 3' | sed 's/replicas: 2/replicas: 1/; s/Seconds: 600/Seconds: 2/; s/"exit 0"/"exit 1"/' | k create -f - >/dev/null
expect 1 k rollout status deployment/broken --timeout=1000s
contains "$err" 'deployment "broken" exceeded its progress deadline'
crashes() { k get pods -l app=broken | grep -q CrashLoopBackOff; }
eventually crashes

# Tests what the server rejects.
deployment bad true | sed 's/matchLabels: {app: bad}/matchLabels: {app: other}/' >bad.yaml
expect 1 k create -f bad.yaml
contains "$err" 'spec.template.metadata.labels: Invalid value: '
contains "$err" '`selector` does not match template `labels`'
deployment bad true | sed 's/maxUnavailable: 0, maxSurge: 1/maxUnavailable: 0, maxSurge: 0/' >bad.yaml
expect 1 k create -f bad.yaml
contains "$err" "may not be 0 when \`maxSurge\` is 0"
deployment bad true | sed 's/terminationGracePeriodSeconds: 1/restartPolicy: Never/' >bad.yaml
expect 1 k create -f bad.yaml
contains "$err" 'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'
expect 1 k patch deployment web --type merge -p '{"spec": {"selector": {"matchLabels": {"app": "x"}}}}'
contains "$err" 'field is immutable'

# A Deployment that was deleted without its ReplicaSets adopts them when it is created again.
expect 0 k delete deployment web --cascade=orphan
expect 0 k get rs -l app=web -o name
before=$out
k get deployment broken -o name >/dev/null
deployment web 'sleep 1000' | k create -f - >/dev/null
expect 0 k rollout status deployment/web --timeout=1000s
expect 0 k get rs -l app=web -o name
[ "$out" = "$before" ] || fail "not adopted: $out, before: $before"
expect 0 k delete deployment web broken
no_pods() { [ -z "$(k get pods -o name)" ]; }
eventually no_pods
