# Volcano: its scheduler, its controllers and its webhooks.
# shellcheck shell=bash

volcano() {
  build_module volcano volcano.sh/volcano@v1.10.0 "./cmd/scheduler ./cmd/controller-manager ./cmd/webhook-manager" \
    installer/helm/chart/volcano/{crd,charts/jobflow/crd}/bases installer/helm/chart/volcano/config/volcano-scheduler.conf installer/volcano-development.yaml
  new_namespace volcano-system
  established "$built"/bases/*.yaml
  cert volcano volcano kml subjectAltName=IP:127.0.0.1
  cp "$built/volcano-scheduler.conf" "$dir"
  : >"$dir/volcano-admission.conf"
  webhooks 9446 "$built/volcano-development.yaml"
  local client=(--kubeconfig "$dir/admin.kubeconfig" --enable-healthz)
  run_built webhook-manager volcano-webhooks "${client[@]}" --healthz-address=:11253 --port=9446 --webhook-url=https://127.0.0.1:9446 \
    --tls-cert-file="$dir/pki/volcano.crt" --tls-private-key-file="$dir/pki/volcano.key" --ca-cert-file="$dir/pki/ca.crt" \
    --admission-conf="$dir/volcano-admission.conf"
  until_ok inside curl -fsS --cacert "$dir/pki/ca.crt" https://127.0.0.1:11253/healthz
  run_built scheduler volcano-scheduler "${client[@]}" --healthz-address=:11251 --leader-elect=false \
    --scheduler-conf="$dir/volcano-scheduler.conf"
  run_built controller-manager volcano-controllers "${client[@]}" --healthz-address=:11252 --leader-elect=false
  until_ok inside curl -fsS http://127.0.0.1:11251/healthz
  until_ok inside curl -fsS http://127.0.0.1:11252/healthz
  until_ok k wait --for=jsonpath={.status.state}=Open queue.scheduling.volcano.sh/default --timeout=1s
}
