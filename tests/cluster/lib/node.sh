# The real node: containerd, kubelet, DNS, and the images that pods on it can use.
# shellcheck shell=bash

node() {
  local gpus=${1:-4}
  cert node1 system:node:node1 system:nodes "subjectAltName=IP:$node_ip,DNS:node1\nextendedKeyUsage=clientAuth,serverAuth"
  kubeconfig node1 443 "$dir/node1.kubeconfig"
  mkdir "$dir/cni"
  cat >"$dir/cni/pods.conflist" <<C
{"cniVersion": "0.4.0", "name": "pods", "plugins": [{"type": "bridge", "bridge": "pods", "isGateway": true, "hairpinMode": true,
 "ipam": {"type": "host-local", "dataDir": "$dir/ipam", "ranges": [[{"subnet": "${node_ip%.*.*}.0.0/16"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}
C
  # restrict_oom_score_adj: without CAP_SYS_RESOURCE, root may not lower it. native: works on any file system.
  cat >"$dir/containerd.toml" <<C
version = 2
root = "$dir/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.internal.v1.opt"]
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "native"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$dir/cni"
C
  printf 'nameserver %s\n' "$node_ip" >"$dir/resolv.conf"
  cat >"$dir/kubelet.yaml" <<C
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
cgroupDriver: cgroupfs
cgroupsPerQOS: false
enforceNodeAllocatable: []
failCgroupV1: false
failSwapOn: false
makeIPTablesUtilChains: false
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: 100Mi}
resolvConf: $dir/resolv.conf
clusterDNS: [$node_ip]
clusterDomain: cluster.local
podLogsDir: $dir/pod-logs
tlsCertFile: $dir/pki/node1.crt
tlsPrivateKeyFile: $dir/pki/node1.key
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $dir/pki/ca.crt}}
authorization: {mode: Webhook}
${KML_KUBELET:-}
C
  start containerd containerd -c "$dir/containerd.toml"
  until_ok inside ctr version
  image localhost/pause:1 /pause "$bin/pause:pause"
  image localhost/busybox:1 /bin/busybox /bin/busybox:bin/busybox /bin/busybox:bin/sh
  start kubelet "$dir/bin/kube" kubelet --kubeconfig "$dir/node1.kubeconfig" --config "$dir/kubelet.yaml" \
    --root-dir "$dir/kubelet" --hostname-override node1 --node-ip "$node_ip"
  until_ok k wait --for=condition=Ready node/node1 --timeout=1s
  # An extended resource set by PATCH is the documented way to advertise one without a device plugin.
  k patch node node1 --subresource=status --type=json \
    -p "[{\"op\": \"add\", \"path\": \"/status/capacity/nvidia.com~1gpu\", \"value\": \"$gpus\"}]" >/dev/null
  printf '.:53 {\n bind %s\n errors\n kubernetes cluster.local {\n  kubeconfig %s\n }\n}\n' "$node_ip" "$dir/admin.kubeconfig" >"$dir/Corefile"
  start dns "$dir/bin/kube" dns "$dir/Corefile"
  # The kubelet counts the resource a moment later.
  until_ok k wait "--for=jsonpath={.status.allocatable.nvidia\.com/gpu}=$gpus" node/node1 --timeout=1s
}

# image FILE.tar, or image NAME ENTRYPOINT FILE:PATH...: files become an image of one layer, the same for the same files.
image() {
  local tar=$1
  if [ $# -gt 1 ]; then
    local work=$dir/image reference=$1 entry=$2 file digest; shift 2
    rm -rf "$work"; mkdir -p "$work/root"
    for file in "$@"; do install -D "${file%%:*}" "$work/root/${file#*:}"; done
    tar -C "$work/root" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -cf "$work/layer.tar" .
    digest=$(sha256sum "$work/layer.tar" | cut -d' ' -f1)
    printf '{"architecture": "amd64", "os": "linux", "config": {"Entrypoint": ["%s"], "Env": ["PATH=/bin:/usr/bin"]},
      "rootfs": {"type": "layers", "diff_ids": ["sha256:%s"]}}' "$entry" "$digest" >"$work/config.json"
    printf '[{"Config": "config.json", "RepoTags": ["%s"], "Layers": ["layer.tar"]}]' "$reference" >"$work/manifest.json"
    tar=$work/image.tar
    tar -C "$work" -cf "$tar" manifest.json config.json layer.tar
  fi
  inside ctr --namespace k8s.io images import - <"$tar" >/dev/null
}
