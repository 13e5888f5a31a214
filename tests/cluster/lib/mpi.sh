# The MPI operator.
# shellcheck shell=bash

mpi() {
  build_module mpi "$mpijob_module" ./cmd/mpi-operator manifests/base/kubeflow.org_mpijobs.yaml
  established "$built/kubeflow.org_mpijobs.yaml"
  new_namespace mpi-operator
  run_built mpi-operator mpi --kubeConfig "$dir/admin.kubeconfig" --lock-namespace mpi-operator -alsologtostderr
  until_ok inside curl -fsS http://127.0.0.1:8080/healthz
}
