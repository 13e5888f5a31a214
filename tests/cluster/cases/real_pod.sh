. "$(dirname "$0")/lib.sh"
# Tests a program in a pod on the real node: its log, DNS, and the API server at the address of its Service.
k apply -f - >/dev/null <<'C'
apiVersion: v1
kind: Pod
metadata: {name: real}
spec:
  restartPolicy: Never
  nodeName: node1
  containers:
  - name: main
    image: localhost/busybox:1
    command:
    - sh
    - -c
    - |
      echo "printed in $HOSTNAME"
      /bin/busybox nslookup kubernetes.default.svc.cluster.local
      echo | /bin/busybox nc -w 300 $KUBERNETES_SERVICE_HOST $KUBERNETES_SERVICE_PORT && echo reached
C
expect 0 k wait --for=jsonpath='{.status.phase}'=Succeeded pod/real --timeout=1000s
expect 0 k logs real
contains "$out" "printed in real"
contains "$out" "10.96.0.1"
contains "$out" reached
