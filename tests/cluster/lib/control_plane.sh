# etcd, API server, controllers, scheduler.
# shellcheck shell=bash

key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$dir/pki/$1.key" 2>/dev/null; }
# cert NAME USER GROUP EXTENSIONS
cert() {
  key "$1"
  openssl req -new -key "$dir/pki/$1.key" -subj "/O=$3/CN=$2" |
    openssl x509 -req -CA "$dir/pki/ca.crt" -CAkey "$dir/pki/ca.key" -days 365 -extfile <(printf '%b' "$4") -out "$dir/pki/$1.crt" 2>/dev/null
}
# kubeconfig NAME PORT FILE: writes a kubeconfig with the client certificate called NAME
kubeconfig() {
  cat >"$3" <<C
apiVersion: v1
kind: Config
current-context: $name
clusters:
- {name: $name, cluster: {server: "https://127.0.0.1:$2", certificate-authority-data: $(base64 -w0 "$dir/pki/ca.crt")}}
users:
- {name: $1, user: {client-certificate-data: $(base64 -w0 "$dir/pki/$1.crt"), client-key-data: $(base64 -w0 "$dir/pki/$1.key")}}
contexts:
- {name: $name, context: {cluster: $name, user: $1, namespace: default}}
C
}
# as NAME USER GROUP: creates the kubeconfig of a program inside the cluster
as() {
  cert "$1" "$2" "$3" "extendedKeyUsage=clientAuth"
  kubeconfig "$1" 443 "$dir/$1.kubeconfig"
}

up() {
  hold
  local pki=$dir/pki port; port=$(number port)
  start etcd "$dir/bin/kube" etcd --data-dir "$dir/etcd" --unsafe-no-fsync --log-level warn
  mkdir "$pki"; key ca
  openssl req -x509 -new -key "$pki/ca.key" -subj "/CN=$name" -days 365 -out "$pki/ca.crt"
  cert apiserver kube-apiserver kml "subjectAltName=IP:127.0.0.1,IP:$node_ip,IP:$service_ip,DNS:localhost,DNS:kubernetes,\
DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local"
  key service-accounts; openssl pkey -in "$pki/service-accounts.key" -pubout -out "$pki/service-accounts.pub"
  as admin admin system:masters
  as controllers system:kube-controller-manager kml
  as scheduler system:kube-scheduler kml
  cert proxy proxy kml extendedKeyUsage=clientAuth # the API server shows it to the servers of other APIs
  printf 'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata}]\n' >"$dir/audit.yaml"
  # Nodes are reached by host name; node1 is in the hosts file.
  start apiserver "$dir/bin/kube" kube-apiserver --etcd-servers http://127.0.0.1:2379 --secure-port 443 --advertise-address "$node_ip" \
    --tls-cert-file "$pki/apiserver.crt" --tls-private-key-file "$pki/apiserver.key" --client-ca-file "$pki/ca.crt" \
    --service-account-key-file "$pki/service-accounts.pub" --service-account-signing-key-file "$pki/service-accounts.key" \
    --service-account-issuer https://kubernetes.default.svc --service-cluster-ip-range 10.96.0.0/16 \
    --authorization-mode Node,RBAC --enable-admission-plugins NodeRestriction --allow-privileged \
    --kubelet-preferred-address-types Hostname --kubelet-certificate-authority "$pki/ca.crt" \
    --kubelet-client-certificate "$pki/admin.crt" --kubelet-client-key "$pki/admin.key" \
    --requestheader-client-ca-file "$pki/ca.crt" --requestheader-allowed-names proxy --requestheader-username-headers X-Remote-User \
    --requestheader-group-headers X-Remote-Group --requestheader-extra-headers-prefix X-Remote-Extra- \
    --proxy-client-cert-file "$pki/proxy.crt" --proxy-client-key-file "$pki/proxy.key" \
    --audit-policy-file "$dir/audit.yaml" --audit-log-path "$dir/audit.log" --event-ttl "${KML_EVENT_TTL:-1h}" \
    ${gates:+--feature-gates "$gates"} ${apis:+--runtime-config "$apis"}
  until_ok curl -fsS --cacert "$pki/ca.crt" --cert "$pki/admin.crt" --key "$pki/admin.key" "https://127.0.0.1:$port/readyz"
  # By default, a node is considered lost only after an hour, because the kubelet of a busy machine may be late.
  start controllers "$dir/bin/kube" kube-controller-manager --kubeconfig "$dir/controllers.kubeconfig" --leader-elect=false \
    --service-account-private-key-file "$pki/service-accounts.key" --root-ca-file "$pki/ca.crt" --use-service-account-credentials \
    --node-monitor-grace-period "${KML_NODE_GRACE:-1h}" ${gates:+--feature-gates "$gates"} ${KML_QPS:+--kube-api-qps "$KML_QPS" --kube-api-burst "$KML_QPS"}
  printf '%s\n' "apiVersion: kubescheduler.config.k8s.io/v1" "kind: KubeSchedulerConfiguration" "leaderElection: {leaderElect: false}" \
    "clientConnection: {kubeconfig: $dir/scheduler.kubeconfig${KML_QPS:+, qps: $KML_QPS, burst: $KML_QPS}}" "${KML_SCHEDULER:-}" >"$dir/scheduler.yaml"
  start scheduler "$dir/bin/kube" kube-scheduler --config "$dir/scheduler.yaml" ${gates:+--feature-gates "$gates"}
  kubeconfig admin "$port" "$admin"
  ln -s "$bin/kubectl" "$dir/kubectl"
  until_ok k get serviceaccount default
  echo "$admin"
}
