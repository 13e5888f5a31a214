# Kubeflow Trainer, which makes JobSets of TrainJobs.
# shellcheck shell=bash

# trainer [--version VERSION]
trainer() {
  local version=$trainer_version
  if [ "${1:-}" = --version ]; then version=v${2#v}; shift 2; fi
  [ $# = 0 ] || fail "trainer takes only --version"
  build_module trainer "$trainer_module@$version" ./cmd/trainer-controller-manager \
    manifests/base/crds manifests/base/webhook/manifests.yaml manifests/base/runtimes/torch_distributed.yaml
  established "$built"/crds/trainer*.yaml
  trainer_certificates
  local authority=$dir/trainer/ca.crt
  webhooks 9447 "$built/manifests.yaml" validator.trainer.kubeflow.org
  local flags=(--webhook-server-port 9447 --health-probe-bind-address :8084)
  if "$built/trainer-controller-manager" --help 2>&1 | grep -q '^  -config '; then
    cat >"$dir/trainer.yaml" <<C
apiVersion: config.trainer.kubeflow.org/v1alpha1
kind: Configuration
webhook: {port: 9447, host: ""}
health: {healthProbeBindAddress: ":8084"}
metrics: {bindAddress: "0"}
leaderElection: {leaderElect: false}
C
    flags=(--config "$dir/trainer.yaml")
  fi
  cp "$built/trainer-controller-manager" "$dir/trainer-manager"
  # Trainer's folder for certificates is fixed, and the training operator uses the same one, so Trainer
  # gets a separate folder.
  inside mkdir -p "$webhook_certs"
  start trainer env -u KUBECONFIG unshare --mount sh -ec 'mount --bind "$1" "$2"; shift 2; exec "$@"' - "$dir/trainer" "$webhook_certs" \
    "$dir/trainer-manager" --kubeconfig "$dir/admin.kubeconfig" "${flags[@]}"
  until_ok inside curl -fsS http://127.0.0.1:8084/readyz
  until_ok k apply -f "$built/torch_distributed.yaml"
}

# Trainer takes the certificates from this Secret, and replaces them if they differ from its own ones.
trainer_certificates() {
  local folder=$dir/trainer
  mkdir -p "$folder"
  openssl genrsa -traditional -out "$folder/ca.key" 2048 2>/dev/null
  openssl req -x509 -new -key "$folder/ca.key" -subj /O=kubeflow-trainer/CN=kubeflow-trainer-ca -days 3650 -out "$folder/ca.crt" \
    -addext subjectAltName=DNS:kubeflow-trainer-ca -addext keyUsage=digitalSignature,keyEncipherment,keyCertSign
  openssl genrsa -traditional -out "$folder/tls.key" 2048 2>/dev/null
  openssl req -new -key "$folder/tls.key" -subj /CN=kubeflow-trainer-controller-manager.kubeflow-system.svc |
    openssl x509 -req -CA "$folder/ca.crt" -CAkey "$folder/ca.key" -days 3650 -out "$folder/tls.crt" -extfile <(printf \
      'subjectAltName=DNS:kubeflow-trainer-controller-manager.kubeflow-system.svc,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n') 2>/dev/null
  new_namespace kubeflow-system
  k -n kubeflow-system create secret generic kubeflow-trainer-webhook-cert --from-file "$folder" --dry-run=client -o yaml | k apply -f - >/dev/null
}
