# Kueue's controller. It needs newer Kubernetes libraries than go.mod has, and four minutes of processor time, so it
# is a separate program, which is built when it is first needed.
# shellcheck shell=bash

kueue_port=9445      # of its webhooks
visibility_port=8090 # its own default is that of JobSet's health

# build_kueue VERSION: builds this version in a separate folder; sets $kueue.
build_kueue() {
  kueue=$cache/kueue-$1
  mkdir -p "$cache"
  exec 9>"$cache/kueue.lock"; flock 9
  if [ ! -x "$kueue/complete" ]; then
    find_go
    [ -n "$go" ] || fail "needs Go 1.26 or newer: run $0 build"
    echo "cluster: building Kueue $1, some minutes, once" >&2
    rm -rf "$kueue"; mkdir -p "$kueue/crds"
    GOBIN=$kueue CGO_ENABLED=0 GOFLAGS="-trimpath -p=2" GOGC=400 nice "$go" install -ldflags "-s -w" \
      -gcflags=all=-dwarf=false -gcflags="k8s.io/...=-dwarf=false -l" "sigs.k8s.io/kueue/cmd/kueue@v$1"
    local folder
    folder=$("$go" mod download -json "sigs.k8s.io/kueue@v$1" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')/config/components
    install -m 644 "$folder"/crd/bases/*.yaml "$kueue/crds"
    install -m 644 "$folder/webhook/manifests.yaml" "$kueue/webhooks.yaml"
    for role in batch_user workload_viewer localqueue_viewer job_editor; do
      install -m 644 "$folder/rbac/${role}_role.yaml" "$kueue"
    done
    install -m 755 /dev/null "$kueue/complete"
  fi
  exec 9>&-
}

# The webhooks of the kinds that the tests use, at the address of a process instead of a Service. Webhooks for pods would
# keep all pods from being created when Kueue does not answer.
kueue_webhooks() {
  python3 - "$kueue/webhooks.yaml" "$kueue_port" "$(base64 -w0 "$dir/pki/ca.crt")" <<'P'
import re, sys
text, port, authority = open(sys.argv[1]).read(), sys.argv[2], sys.argv[3]
kept = re.compile(r"path: /\w+-(kueue-x-k8s-io|batch|jobset-x-k8s-io|kubeflow-org|trainer-kubeflow-org)-")
service = re.compile(r"    service:\n      name: .*\n      namespace: .*\n      path: (.*)\n")
for document in text.split("---\n"):
    head, *hooks = re.split(r"(?m)^(?=- admissionReviewVersions:)", document)
    print("---\n" + head + "".join(service.sub(rf"    url: https://127.0.0.1:{port}\1\n    caBundle: {authority}\n", hook)
                                  for hook in hooks if kept.search(hook)))
P
}

# Kueue's API for the order of waiting Workloads, at an address of a process instead of a Service.
kueue_visibility() {
  local version
  printf '%s\n' 'apiVersion: v1' 'kind: Service' 'metadata: {name: visibility, namespace: kueue-system}' \
    "spec: {type: ExternalName, externalName: localhost, ports: [{port: $visibility_port}]}" | k apply -f - >/dev/null
  for version in v1beta1 v1beta2; do
    k apply -f - >/dev/null <<C
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: $version.visibility.kueue.x-k8s.io}
spec:
  group: visibility.kueue.x-k8s.io
  version: $version
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: {name: visibility, namespace: kueue-system, port: $visibility_port}
C
    until_ok k wait --for=condition=Available "apiservice/$version.visibility.kueue.x-k8s.io" --timeout=1s
  done
}

# kueue [--version VERSION] [--visibility]
kueue() {
  local version=0.19.0 name folder visibility=false
  if [ "${1:-}" = --version ]; then version=$2; shift 2; fi
  if [ "${1:-}" = --visibility ]; then visibility=true; shift; fi
  [ $# = 0 ] || fail "kueue takes only --version and --visibility"
  build_kueue "$version"
  local certs=$dir/pki/kueue root=$dir/kueue-root ca
  ca=$(base64 -w0 "$dir/pki/ca.crt")
  cp "$kueue/kueue" "$dir/kueue" # only the cluster's folder is visible inside
  mkdir -p "$certs" "$root/etc/kueue/metrics/certs" "$root/visibility" "$root/tmp" "$root$dir"
  cert kueue kueue kml subjectAltName=IP:127.0.0.1
  for name in crt key; do
    for folder in "$certs" "$root/etc/kueue/metrics/certs" "$root/visibility"; do cp "$dir/pki/kueue.$name" "$folder/tls.$name"; done
  done
  cat >"$dir/kueue.yaml" <<C
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
namespace: kueue-system
internalCertManagement: {enable: false}
leaderElection: {leaderElect: false}
webhook: {port: $kueue_port, certDir: $certs}
health: {healthProbeBindAddress: ":8083"}
metrics: {bindAddress: "0"}
featureGates: {VisibilityOnDemand: $visibility}
visibilityServer: {bindPort: $visibility_port}
integrations:
  frameworks: [${KML_KUEUE_KINDS:-batch/job, jobset.x-k8s.io/jobset, kubeflow.org/pytorchjob, kubeflow.org/mpijob, trainer.kubeflow.org/trainjob}]
${KML_KUEUE:-}
C
  for name in "$kueue"/crds/*.yaml; do
    k apply --server-side -f "$name" >/dev/null
    k patch --type=merge -f "$name" -p "{\"spec\": {\"conversion\": {\"strategy\": \"Webhook\", \"webhook\": {\"conversionReviewVersions\": [\"v1\"],
      \"clientConfig\": {\"url\": \"https://127.0.0.1:$kueue_port/convert\", \"caBundle\": \"$ca\"}}}}}" >/dev/null
  done
  until_ok k wait --for=condition=Established -f "$kueue/crds" --timeout=10s
  k create namespace kueue-system --dry-run=client -o yaml | k apply -f - >/dev/null
  k apply -f "$kueue/batch_user_role.yaml" -f "$kueue/workload_viewer_role.yaml" -f "$kueue/localqueue_viewer_role.yaml" \
    -f "$kueue/job_editor_role.yaml" >/dev/null
  # The folders for the certificates of its metrics and of its visibility API are fixed, so Kueue gets a separate root.
  start kueue unshare --mount sh -ec 'mount --bind "$2" "$1$2"; root=$1; shift 2; exec chroot "$root" "$@"' - "$root" "$dir" \
    "$dir/kueue" --kubeconfig "$dir/admin.kubeconfig" --config "$dir/kueue.yaml"
  until_ok inside curl -fsS http://127.0.0.1:8083/readyz
  [ $visibility = false ] || kueue_visibility
  kueue_webhooks | k apply -f - >/dev/null
}

# worker OTHER: makes the cluster OTHER a MultiKueueCluster of this one. Its API server, which only the machine can reach,
# gets the same address inside this cluster.
worker() {
  local other=$state_root/$1 port
  port=$(cat "$other/port") || fail "no cluster '$1' is up"
  cp "$source_dir/link" "$dir/link" # only the cluster's folder is visible inside
  start link "$dir/link" "$port" 8</proc/self/ns/net
  until_ok inside curl -fsSk "https://127.0.0.1:$port/version"
  k create secret generic "$1" -n kueue-system --from-file "kubeconfig=$other/kubeconfig" --dry-run=client -o yaml | k apply -f - >/dev/null
  k apply -f - >/dev/null <<C
apiVersion: kueue.x-k8s.io/v1beta2
kind: MultiKueueCluster
metadata: {name: $1}
spec: {clusterSource: {kubeConfig: {location: $1, locationType: Secret}}}
C
  until_ok k wait --for=condition=Active "multikueuecluster/$1" --timeout=1s
}
