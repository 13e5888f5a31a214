. "$(dirname "$0")/lib.sh"
# The real API server, with the definition of each kind, accepts kml's manifests: they have no unknown fields and no
# wrong types.
cluster crds mpijob trainjob
valid() { # KIND FLAG...: with all flags for which the kind has a field
  local kind=$1; shift
  expect 0 "$KML" submit --dry-run=server --no-check -t "$kind" --name bert --image img:1 --nodes 4 --gpus 2 --cpu 4 --memory 16Gi \
    --shm 8Gi --env A=1 --mount pvc/data:/data:ro --mount host/srv:/srv --mount configmap/conf/a.ini:/a.ini \
    --node-selector type=a --toleration spot --toleration dedicated=ml:NoSchedule --service-account trainer \
    --label team=nlp --annotation 'note=a b' "$@" -- python train.py
}
of_pods=(--gpus a100:2 --env-from wandb --chdir /work --priority high --grace 2m --pull-secret registry)
limits=(--retries 3 --time-limit 12h --ttl 7d)
valid job "${of_pods[@]}" "${limits[@]}"
valid job-indexed "${of_pods[@]}" "${limits[@]}" -p nproc-per-node=auto
valid pytorchjob "${of_pods[@]}" "${limits[@]}" -p nproc-per-node=8 -p clean-pods=All -p restart=OnFailure
valid pytorchjob-elastic "${of_pods[@]}" "${limits[@]}" -p nproc-per-node=gpu -p min-nodes=2
valid mpijob "${of_pods[@]}" "${limits[@]}" -p slots=2 -p implementation=MPICH
valid jobset "${of_pods[@]}" "${limits[@]}" -p nproc-per-node=8
valid serve "${of_pods[@]}" -p ready=/health
trainjob=(-p nproc-per-node=8 -p runtime-kind=TrainingRuntime -p dataset=hf://a/b -p model=s3://c/d)
valid trainjob "${trainjob[@]}" --gpus a100:2 --time-limit 12h --grace 2m --pull-secret registry
for kind in mpijob jobset "trainjob --no-check"; do
  # shellcheck disable=SC2086
  expect 0 "$KML" submit --dry-run=server -t $kind --image img:1 -- python train.py
done
expect 1 "$KML" submit --dry-run=server -t trainjob --image img:1 -- python train.py
contains "$err" 'clustertrainingruntime "torch-distributed" does not exist'
expect 0 "$KML" submit --dry-run=server --array 0-199%8 --retries 1 --image img:1 -- sh -c 'echo $JOB_COMPLETION_INDEX'
expect 1 "$KML" submit --dry-run=server -t jobset --image img:1 --set spec.replicas=2 -- true
contains "$err" 'unknown field "spec.replicas"'
# The manifests have a queue, which kml itself would reject without Kueue.
for manifest in "$SOURCE"/tests/golden/render/*_all.yaml; do
  expect 0 k create --dry-run=server --validate=strict -f "$manifest"
done
# In each version of Kubeflow Trainer, TrainJobs have different fields, and the fields of other versions are
# rejected.
served() { # VERSION FIELD: has the cluster serve that version's definition, which has the field
  cluster crds "trainjob$1"
  echo "{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, metadata: {name: a}, spec: {runtimeRef: {name: a}, $2: []}}" >probe.yaml
  eventually k create --dry-run=server --validate=strict -f probe.yaml
}
served -v2.1.0 podTemplateOverrides
valid trainjob "${trainjob[@]}" --gpus a100:2 --pull-secret registry
rejected() { # FLAGS VERSION
  expect 2 "$KML" submit --dry-run=server --no-check -t trainjob --image img:1 $1 -- python train.py
  contains "$err" "to TrainJob in version $2"
}
rejected "--time-limit 12h" 2.2
rejected "--grace 2m" 2.3
served -v2.0.0 podSpecOverrides
valid trainjob "${trainjob[@]}"
rejected "--gpus a100:2" 2.1
rejected "--pull-secret registry" 2.1
served "" runtimePatches
