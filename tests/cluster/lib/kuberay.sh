# KubeRay's operator. There is no Ray here: a RayJob's cluster never answers.
# shellcheck shell=bash

kuberay() {
  build_module kuberay github.com/ray-project/kuberay/ray-operator@v1.5.0 . config/crd/bases
  established "$built"/bases/*.yaml
  run_built ray-operator kuberay --kubeconfig "$dir/admin.kubeconfig" --enable-leader-election=false --metrics-addr 0 --health-probe-bind-address :8085
  until_ok inside curl -fsS http://127.0.0.1:8085/readyz
}
