# KServe's controller, which makes Deployments of InferenceServices: there is neither Knative nor Istio here.
# shellcheck shell=bash

kserve() {
  build_module kserve github.com/kserve/kserve@v0.15.2 ./cmd/manager config/crd/full config/webhook/manifests.yaml \
    config/storagecontainers/default.yaml
  rm -f "$built/full/kustomization.yaml"
  established "$built"/full/*.yaml
  new_namespace kserve
  k apply -f - >/dev/null <<'C'
apiVersion: v1
kind: ConfigMap
metadata: {name: inferenceservice-config, namespace: kserve}
data:
  deploy: '{"defaultDeploymentMode": "RawDeployment"}'
  ingress: '{"ingressGateway": "kserve/kserve-ingress-gateway", "ingressDomain": "example.com", "urlScheme": "http", "disableIngressCreation": true, "disableIstioVirtualHost": true}'
  storageInitializer: '{"image": "localhost/busybox:1", "memoryRequest": "10Mi", "memoryLimit": "100Mi", "cpuRequest": "10m", "cpuLimit": "1"}'
  inferenceService: '{"resource": {"cpuLimit": "1", "memoryLimit": "1Gi", "cpuRequest": "10m", "memoryRequest": "10Mi"}}'
  credentials: '{}'
  logger: '{"image": "none", "memoryRequest": "10Mi", "memoryLimit": "100Mi", "cpuRequest": "10m", "cpuLimit": "1", "defaultUrl": "http://none"}'
  batcher: '{"image": "none", "memoryRequest": "10Mi", "memoryLimit": "100Mi", "cpuRequest": "10m", "cpuLimit": "1"}'
  agent: '{"image": "none", "memoryRequest": "10Mi", "memoryLimit": "100Mi", "cpuRequest": "10m", "cpuLimit": "1"}'
  router: '{"image": "none", "memoryRequest": "10Mi", "memoryLimit": "100Mi", "cpuRequest": "10m", "cpuLimit": "1"}'
  explainers: '{}'
  metricsAggregator: '{"enableMetricAggregation": "false", "enablePrometheusScraping": "false"}'
  security: '{"autoMountServiceAccountToken": true}'
C
  local certs=$dir/kserve-certs
  mkdir -p "$certs"
  cert kserve kserve kml subjectAltName=IP:127.0.0.1
  cp "$dir/pki/kserve.crt" "$certs/tls.crt"; cp "$dir/pki/kserve.key" "$certs/tls.key"
  webhooks 9448 "$built/manifests.yaml"
  cp "$built/manager" "$dir/kserve"
  inside mkdir -p "$webhook_certs"
  start kserve env -u KUBECONFIG POD_NAMESPACE=kserve unshare --mount sh -ec 'mount --bind "$1" "$2"; shift 2; exec "$@"' - "$certs" "$webhook_certs" \
    "$dir/kserve" --kubeconfig "$dir/admin.kubeconfig" --metrics-addr 0 --health-probe-addr :8086 --webhook-port 9448
  until_ok inside curl -fsS http://127.0.0.1:8086/readyz
}
