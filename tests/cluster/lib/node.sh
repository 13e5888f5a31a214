# The real node: containerd, kubelet, DNS, and the images for its pods.
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
  local snapshotter=native # copies an image for each container, and works on any file system
  ! inside sh -ec "$overlay_works" - "$dir/overlay" 2>/dev/null || snapshotter=overlayfs
  # restrict_oom_score_adj: without CAP_SYS_RESOURCE, even root may not lower it.
  cat >"$dir/containerd.toml" <<C
version = 2
root = "$dir/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.internal.v1.opt"]
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "$snapshotter"
    # crun instead of runc: a container costs a quarter of the processor time.
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      options = {BinaryName = "crun"}
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
featureGates: {$kubelet_gates}
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
  start_containerd
  image localhost/pause:1 /pause "$bin/pause:pause"
  image localhost/busybox:1 /bin/busybox /bin/busybox:bin/busybox /bin/busybox:bin/sh
  start_kubelet
  advertise_gpus "$gpus"
  printf '.:53 {\n bind %s\n errors\n kubernetes cluster.local {\n  kubeconfig %s\n }\n}\n' "$node_ip" "$dir/admin.kubeconfig" >"$dir/Corefile"
  start dns "$dir/bin/kube" dns "$dir/Corefile"
}

overlay_works='mkdir "$1" "$1/lower" "$1/upper" "$1/work" "$1/root"
  mount -t overlay -o "lowerdir=$1/lower,upperdir=$1/upper,workdir=$1/work" overlay "$1/root" && umount "$1/root"'
start_containerd() {
  start containerd containerd -c "$dir/containerd.toml"
  until_ok inside ctr version
}
start_kubelet() {
  start kubelet "$dir/bin/kube" kubelet --kubeconfig "$dir/node1.kubeconfig" --config "$dir/kubelet.yaml" \
    --root-dir "$dir/kubelet" --hostname-override node1 --node-ip "$node_ip"
  until_ok k wait --for=condition=Ready node/node1 --timeout=1s
}
# Setting an extended resource by PATCH is the documented way to advertise one without a device plugin.
advertise_gpus() {
  k patch node node1 --subresource=status --type=merge -p "{\"status\": {\"capacity\": {\"nvidia.com/gpu\": \"$1\"}}}" >/dev/null
  # Waits, because the kubelet updates the allocatable amount a moment later.
  until_ok k wait "--for=jsonpath={.status.allocatable.nvidia\.com/gpu}=$1" node/node1 --timeout=1s
}

# power off: kills all processes of node1 and its pods. Data in memory is lost, such as the state of the containers
# and their networks. power on: starts node1 again.
power() {
  local group pids
  case $1 in
    off)
      k get node node1 -o 'jsonpath={.status.capacity.nvidia\.com/gpu}' >"$dir/gpus"
      inside kill -9 "$(number kubelet.pid)" "$(number containerd.pid)"
      inside pkill -9 -f ^/usr/bin/containerd-shim || true
      for group in $(cgroups); do
        pids=$(cat "$group/cgroup.procs")
        [ -z "$pids" ] || xargs kill -9 <<<"$pids" || true
      done
      inside bash -c 'sed -nE "s#^[^ ]+ (/run/(containerd|netns)/[^ ]*) .*#\1#p" /proc/mounts | sort -r | xargs -r umount -l
        rm -rf /run/containerd /run/netns'
      rm "$dir/kubelet.pid"
      ;;
    on) start_containerd; start_kubelet; advertise_gpus "$(number gpus)" ;;
    *) fail "power takes off or on, not '$1'" ;;
  esac
}

# image FILE.tar, or image NAME ENTRYPOINT FILE:PATH...: makes an image with one layer from files and folders; the same
# files give the same image.
image() {
  local tar=$1 work=
  if [ $# -gt 1 ]; then
    local reference=$1 entry=$2 file digest; shift 2
    work=$(mktemp -d "$dir/image.XXXXXX") # cases make images at the same time
    mkdir "$work/root"
    for file in "$@"; do
      if [ -d "${file%%:*}" ]; then
        mkdir -p "$work/root/${file#*:}"
        cp -rL "${file%%:*}/." "$work/root/${file#*:}"
      else
        install -D "${file%%:*}" "$work/root/${file#*:}"
      fi
    done
    tar -C "$work/root" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -cf "$work/layer.tar" .
    digest=$(sha256sum "$work/layer.tar" | cut -d' ' -f1)
    printf '{"architecture": "amd64", "os": "linux", "config": {"Entrypoint": ["%s"], "Env": ["PATH=/bin:/usr/bin"]},
      "rootfs": {"type": "layers", "diff_ids": ["sha256:%s"]}}' "$entry" "$digest" >"$work/config.json"
    printf '[{"Config": "config.json", "RepoTags": ["%s"], "Layers": ["layer.tar"]}]' "$reference" >"$work/manifest.json"
    tar=$work/image.tar
    tar -C "$work" -cf "$tar" manifest.json config.json layer.tar
  fi
  inside ctr --namespace k8s.io images import - <"$tar" >/dev/null
  [ -z "$work" ] || rm -rf "$work"
}
