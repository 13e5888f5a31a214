# A command that names a file in this folder gets a warning that the cluster will not have the file; when it fails,
# kml suggests --code.
. "$(dirname "$0")/lib.sh"
echo 'echo hello' >train.sh
kubeconfig_of_cluster
export KUBECONFIG=$PWD/kubeconfig
for command in "sh train.sh" "./train.sh --lr 1" "torchrun --nproc 4 train.sh"; do
  expect 0 "$KML" submit --context there --dry-run --image img:1 -- $command
  contains "$err" 'train.sh is a file of this folder, which the cluster does not have; --code . sends the folder'
done
for flags in "--code ." "--chdir /work" "--mount pvc/code:/work"; do
  expect 0 "$KML" submit --context there --dry-run --image img:1 $flags -- sh train.sh
  [[ "$err" != *"a file of this folder"* ]] || fail "$flags: $err"
done
expect 0 "$KML" submit --context there --dry-run --image img:1 -- sh -c 'echo train.sh'
[[ "$err" != *"a file of this folder"* ]] || fail "$err"
expect 0 "$KML" submit --context local --dry-run -- sh train.sh
[[ "$err" != *"a file of this folder"* ]] || fail "$err"

mkdir away
expect 0 "$KML" submit --context local --name lost --chdir away -- sh train.sh
expect 3 "$KML" --context local wait lost
expect 0 "$KML" --context local why lost
contains "$out" 'train.sh is in this folder, and the job does not have it'
contains "$out" 'kml --context local submit --code .'
