# The namespaces of a cluster, owned by one process; see hold/main.go.
# shellcheck shell=bash

number() { cat "$dir/$1" 2>/dev/null; }
running() {
  if [ ! -f "$admin" ] || ! kill -0 "$(number inside)" 2>/dev/null; then fail "no cluster '$name' is up: run $0 up"; fi
}
inside() { nsenter --target "$(number inside)" --mount --net --pid --ipc -- "$@"; }

# start NAME COMMAND...: runs a program inside, as a child of the holder, with its output in NAME.log. With GOGC, programs
# collect garbage less often: memory is cheaper here than time.
start() {
  local program=$1; shift
  inside bash -c 'base=$1; shift; GOGC=400 setsid "$@" >>"$base.log" 2>&1 </dev/null & echo $! >"$base.pid"' - "$dir/$program" "$@"
}
hold() {
  mkdir -m 700 "$state_root" 2>/dev/null || true
  [ -O "$state_root" ] || fail "$state_root belongs to somebody else"
  mkdir -m 700 "$dir" 2>/dev/null || fail "cluster '$name' is up, or was: run $0 down"
  echo "$kubernetes" >"$dir/kubernetes"
  setsid "$bin/hold" "$dir" >"$dir/hold.log" 2>&1 </dev/null 9>&- &
  until_ok test -f "$dir/inside"
  inside bash -euc "$(declare -f furnish); furnish '$dir' '$bin' $node_ip $service_ip"
}

# Runs inside. Makes all folders private to which the programs write, whatever their settings, so that nothing
# remains.
furnish() {
  local dir=$1 bin=$2 node_ip=$3 service_ip=$4
  mount -t proc proc /proc
  mkdir "$dir/bin"; mount --bind "$bin" "$dir/bin"
  mount -t tmpfs -o mode=755 tmpfs /run
  mkdir /run/state; mount --rbind "$dir" /run/state
  local folder
  for folder in /tmp /var/lib /var/log; do mount -t tmpfs tmpfs $folder; done
  mkdir -p "$dir"; mount --move /run/state "$dir" # the folder may be in one of them
  umount /sys/fs/cgroup/unified 2>/dev/null || true # crun refuses a machine with controllers in both versions of control groups
  printf '127.0.0.1 localhost training-operator.kubeflow.svc\n%s node1\n' "$node_ip" >"$dir/hosts"; mount --bind "$dir/hosts" /etc/hosts
  ip link set lo up
  ip address add "$service_ip/32" dev lo # pods reach the API server at its Service's address without kube-proxy
  # Gives the bridge its own address. Otherwise, the bridge takes the lowest address of its pods' interfaces.
  # When the pod with that address is deleted, the other pods lose their connections until they resolve the
  # address again, half a minute later.
  ip link add pods address 02:00:00:00:00:01 type bridge
  ip address add "$node_ip/16" dev pods
  ip link set pods up
}

# Whether a recorded process has ended; its id may belong to another process now. A process that is ending has no
# command line. The first process of a namespace remains a zombie until all others in it have ended.
ended() {
  local last
  case $(ps -o stat= -p "$1") in '' | Z*) return 0 ;; esac
  last=$(tr '\0' '\n' <"/proc/$1/cmdline" | tail -n 1)
  [ -n "$last" ] && [ "$last" != "$dir" ]
}

# The control groups of the cluster's containers, innermost first. They are the only part that is not in a namespace.
cgroups() {
  local cri=$dir/containerd/io.containerd.grpc.v1.cri
  [ -d "$cri" ] || return 0
  find /sys/fs/cgroup -depth -type d -path '*/k8s.io/*' | grep -Ff <(ls "$cri/sandboxes" "$cri/containers" | grep -E '^[0-9a-f]{64}$') || true
}

remove_group() { rmdir "$1" || [ ! -d "$1" ]; }

down() {
  [ -d "$dir" ] || return 0
  local pid group
  for pid in $(number inside) $(number holder); do
    ended "$pid" || kill -9 "$pid" || true
    until_ok ended "$pid"
  done
  for group in $(cgroups); do until_ok remove_group "$group"; done # a group is busy for a moment after its last process
  rm -rf --one-file-system "$dir"
  if rmdir "$state_root" 2>/dev/null; then # this was the last cluster on the machine
    find /sys/fs/cgroup -depth -type d -name k8s.io -exec rmdir {} + 2>/dev/null || true
  fi
}
