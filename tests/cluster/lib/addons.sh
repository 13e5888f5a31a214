# Additions to the cluster: simulated nodes, the training operator, JobSet's controller, definitions of other
# resources.
# shellcheck shell=bash

kwok() {
  cp "$source_dir/kwok-stages.yaml" "$dir"
  [ -f "$dir/kwok.pid" ] || start kwok "$dir/bin/kube" kwok "$dir/admin.kubeconfig" \
    kwok.x-k8s.io/node=fake "$dir/bin/crds/kwok-node.yaml" "$dir/kwok-stages.yaml"
  [ "$1" -gt 0 ] || return 0  # with 0, the caller creates its own nodes
  local i
  for i in $(seq "$1"); do
    cat <<C
---
apiVersion: v1
kind: Node
metadata: {name: gpu-$i, annotations: {kwok.x-k8s.io/node: fake}, labels: {type: kwok, kubernetes.io/hostname: gpu-$i}}
status:
  allocatable: {cpu: "64", memory: 512Gi, pods: "250", nvidia.com/gpu: "$2"}
  capacity: {cpu: "64", memory: 512Gi, pods: "250", nvidia.com/gpu: "$2"}
C
  done | k apply -f - >/dev/null
  k wait --for=condition=Ready node -l type=kwok --timeout=1000s >/dev/null
}

# devices NODE COUNT PRODUCT MEMORY [TAINT]: simulated GPUs for claims: a ResourceSlice as NVIDIA's driver for dynamic
# resource allocation writes it, and its DeviceClass. That is enough for the scheduler; no container gets a device.
devices() {
  local i taints=
  [ -z "${5:-}" ] || taints="taints: [{key: ${5%%=*}, value: \"${5#*=}\", effect: NoSchedule}]"
  k apply -f - >/dev/null <<C
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.nvidia.com}
spec: {selectors: [{cel: {expression: 'device.driver == "gpu.nvidia.com"'}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: $1-gpus}
spec:
  driver: gpu.nvidia.com
  nodeName: $1
  pool: {name: $1, generation: 1, resourceSliceCount: 1}
  devices:
$(for i in $(seq 0 $(($2 - 1))); do cat <<D
  - name: gpu-$i
    attributes: {type: {string: gpu}, productName: {string: "$3"}}
    capacity: {memory: {value: $4}}
    $taints
D
done)
C
}

# Whether a definition's objects are served: the definition is established a moment before that.
are_served() { # FILE
  local name names
  names=$(k get -f "$1" -o name) || return
  for name in $names; do k get "${name#*/}" || return; done
}
# crds KIND...: mpijob, jobset, trainjob, trainjob-v2.0.0, trainjob-v2.1.0, pytorchjob
crds() {
  local kind
  for kind in "$@"; do
    [ -f "$bin/crds/$kind.yaml" ] || fail "no definition of '$kind'; there are: $(cd "$bin/crds" && ls)"
    k apply --server-side -f "$bin/crds/$kind.yaml" >/dev/null
    until_ok k wait --for=condition=Established -f "$bin/crds/$kind.yaml" --timeout=10s
    until_ok are_served "$bin/crds/$kind.yaml"
  done
}

# The operator writes its webhook's certificate into a Secret, and waits until the kubelet mounts it at a fixed place
# in /tmp. Here, the operator is a process without a pod, so this function puts the files there. The API
# server finds the operator through the hosts file.
operator() {
  crds pytorchjob
  k apply -f - >/dev/null <<'C'
apiVersion: v1
kind: Namespace
metadata: {name: kubeflow}
---
apiVersion: v1
kind: Secret
metadata: {name: training-operator-webhook-cert, namespace: kubeflow}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: validator.training-operator.kubeflow.org}
webhooks:
- name: validator.pytorchjob.training-operator.kubeflow.org
  clientConfig: {url: 'https://training-operator.kubeflow.svc:9443/validate-kubeflow-org-v1-pytorchjob'}
  rules: [{apiGroups: [kubeflow.org], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pytorchjobs]}]
  admissionReviewVersions: [v1]
  sideEffects: None
C
  # Each worker first waits for its master's name. The usual image for this does not exist here, and busybox's
  # nslookup fails if one of several search domains does not have the name.
  cat >"$dir/wait-for-master.yaml" <<'C'
- name: init-pytorch
  image: localhost/busybox:1
  command: [sh, -c, 'until nslookup {{.MasterAddr}} | grep -q ^Name:; do sleep 0.2; done']
C
  inside mkdir -p $webhook_certs
  run_operator
  until_ok operator_is_ready
}
run_operator() {
  start operator "$dir/bin/training-operator.v1" --kubeconfig "$dir/admin.kubeconfig" --enable-scheme pytorchjob \
    --pytorch-init-container-template-file "$dir/wait-for-master.yaml" --metrics-bind-address 0 ${KML_OPERATOR:-}
}
webhook_certs=/tmp/k8s-webhook-server/serving-certs
# The operator may create its certificate again while the first one is being copied, and exits if it reads
# parts of both certificates. So this copies the whole Secret, as a kubelet does, and starts the operator
# again.
operator_is_ready() {
  local i data files=(ca.crt ca.key tls.key tls.crt)
  read -ra data < <(k -n kubeflow get secret training-operator-webhook-cert \
    -o 'jsonpath={.data.ca\.crt} {.data.ca\.key} {.data.tls\.key} {.data.tls\.crt}')
  [ ${#data[@]} = 4 ] || return
  for i in 0 1 2 3; do
    base64 -d <<<"${data[i]}" | inside sh -ec 'cat >"$1.new"; cmp -s "$1.new" "$1" || mv "$1.new" "$1"' - "$webhook_certs/${files[i]}" || return
  done
  inside kill -0 "$(cat "$dir/operator.pid")" || run_operator
  inside curl -fsS http://127.0.0.1:8081/readyz
}

# JobSet's webhook sets defaults that its controller needs.
jobset() {
  crds jobset
  local certs=$dir/pki/jobset
  mkdir "$certs"
  cert jobset jobset kml subjectAltName=IP:127.0.0.1
  mv "$dir/pki/jobset.crt" "$certs/tls.crt"; mv "$dir/pki/jobset.key" "$certs/tls.key"
  cat >"$dir/jobset.yaml" <<C
apiVersion: config.jobset.x-k8s.io/v1alpha1
kind: Configuration
internalCertManagement: {enable: false}
leaderElection: {leaderElect: false}
webhook: {port: 9444, certDir: $certs}
health: {healthProbeBindAddress: ":8082"}
metrics: {bindAddress: "0"}
C
  start jobset "$dir/bin/jobset" --kubeconfig "$dir/admin.kubeconfig" --config "$dir/jobset.yaml"
  until_ok inside curl -fsS http://127.0.0.1:8082/readyz
  local kind
  for kind in Mutating Validating; do
    cat <<C
---
apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}WebhookConfiguration
metadata: {name: jobset}
webhooks:
- name: jobset.jobset.x-k8s.io
  clientConfig:
    url: https://127.0.0.1:9444/$([ $kind = Mutating ] && echo mutate || echo validate)-jobset-x-k8s-io-v1alpha2-jobset
    caBundle: $(base64 -w0 "$dir/pki/ca.crt")
  rules: [{apiGroups: [jobset.x-k8s.io], apiVersions: [v1alpha2], operations: [CREATE$([ $kind = Mutating ] || echo ', UPDATE')], resources: [jobsets]}]
  admissionReviewVersions: [v1]
  sideEffects: None
C
  done | k apply -f - >/dev/null
}
