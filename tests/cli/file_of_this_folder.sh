# If a command names a file in this folder, kml warns that the cluster will not have the file. If the command then
# fails, kml suggests --code.
. "$(dirname "$0")/lib.sh"
echo 'echo hello' >train.sh
kubeconfig_of_cluster
export KUBECONFIG=$PWD/kubeconfig
for command in "sh train.sh" "./train.sh --lr 1" "torchrun --nproc 4 train.sh" "torchrun --nnodes 2 --nproc-per-node 8 train.sh"; do
  expect 0 "$KML" submit --context there --dry-run --image img:1 -- $command
  contains "$err" 'train.sh is a file of this folder; a pod has it only if the image contains it; --code . sends the folder'
done
mkdir pack
touch pack/__init__.py solo.py
for module in pack pack.train solo; do
  expect 0 "$KML" submit --context there --dry-run --image img:1 -- python3 -m $module --lr 1
  contains "$err" "$module is a module of this folder; a pod has it only if the image contains it; --code . sends the folder"
done
expect 0 "$KML" submit --context there --dry-run --image img:1 -- python3 -m http.server
[[ "$err" != *"of this folder"* ]] || fail "$err"
for flags in "--code ." "--chdir /work" "--mount pvc/code:/work"; do
  expect 0 "$KML" submit --context there --dry-run --image img:1 $flags -- sh train.sh
  [[ "$err" != *"a file of this folder"* ]] || fail "$flags: $err"
done
expect 0 "$KML" submit --context there --dry-run --image img:1 -- sh -c 'echo train.sh'
[[ "$err" != *"a file of this folder"* ]] || fail "$err"
# The text of `sh -c` is searched, too, up to the first word that the shell would change.
noted() { # yes or no, TEXT
  expect 0 "$KML" submit --context there --dry-run --image img:1 -- sh -c "$2"
  if [ "$1" = yes ]; then
    contains "$err" 'solo.py is a file of this folder; a pod has it only if the image contains it; --code . sends'
  else
    [[ "$err" != *"of this folder"* ]] || fail "$2: $err"
  fi
}
while read -r is_noted text; do noted "$is_noted" "$text"; done <<'T'
yes python solo.py
yes exec python3 -u solo.py --lr 1
yes A=1 python solo.py
yes nvidia-smi && python solo.py | tail -n 5
yes nvidia-smi; python solo.py
yes torchrun --nnodes=2 solo.py $ARGS
yes python solo.py "$@"
no cd /work && python solo.py
no cd /work; python solo.py
no echo solo.py
no test -d "$X" && python solo.py
yes for i in 1 2; do python solo.py; done
no python "solo.py"
no python $FOLDER/solo.py
T
noted yes $'set -e\nnvidia-smi\npython solo.py'
noted no $'set -e\ncd /work\npython solo.py'
# The note is the same for served programs, sweeps and sessions.
expect 0 "$KML" serve --context there d --dry-run --image img:1 -- python solo.py
contains "$err" 'solo.py is a file of this folder; a pod has it only if the image contains it; --code . sends'
expect 0 "$KML" serve --context there d --dry-run --image img:1 --code . -- python solo.py
[[ "$err" != *"is a file of this folder"* ]] || fail "$err"
"$KML" local kubeconfig | sed 's/\blocal\b/near/g' >near
for command in "sweep run t --param x=1..3 --maximize v --trials 1 --dry-run --image img:1 -- sh train.sh {x}" \
  "dev --detach --image img:1 -- sh train.sh"; do
  # shellcheck disable=SC2086
  expect 0 env KUBECONFIG=near "$KML" $command
  contains "$err" 'train.sh is a file of this folder'
done
expect 0 "$KML" submit --context local --dry-run -- sh train.sh
[[ "$err" != *"a file of this folder"* ]] || fail "$err"

# kml reports a link that will not lead to the same file in a pod, wherever --code, kml.yaml or a pipeline names the
# folder.
mkdir -p data linked/big
git init -q linked
echo big/ >linked/.gitignore
echo 1 | tee data/set linked/big/file linked/plain >linked/other
ln -s ../data linked/up
ln -s "$PWD/data/set" linked/absolute
ln -s big/file linked/ignored
ln -s other linked/inside
ln -s nowhere linked/dangling
linked='up is a link to ../data, which is outside of the folder
absolute is a link to '$PWD'/data/set, an absolute path, which only this machine has
ignored is a link to big/file, which is not sent with the code'
printf 'code: linked\n' | tee kml.yaml >/dev/null
cat >p.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: p}
spec: {steps: {a: {image: "img:1", code: linked, command: [sh, plain]}}}
Y
while read -r context words; do
  expect 0 "$KML" --context $context ${words%% -- *} --dry-run ${words#"${words%% -- *}"}
  while read -r line; do
    if [[ $context = there || $line != absolute* ]]; then
      contains "$err" "$line"
    else
      [[ "$err" != *"$line"* ]] || fail "$err"
    fi
  done <<<"$linked"
  [[ "$err" != *inside* && "$err" != *dangling* ]] || fail "$err"
done <<'T'
there submit --image img:1 --code linked -- sh plain
local submit --code linked -- sh plain
there submit --image img:1 -- sh plain
local sweep run t --param x=1..3 --maximize v --trials 1 --code linked -- sh plain {x}
local run p.yaml
T

rm kml.yaml

mkdir away
expect 0 "$KML" submit --context local --name lost --chdir away -- sh train.sh
expect 3 "$KML" --context local wait lost
expect 0 "$KML" --context local why lost
contains "$out" 'train.sh is in this folder, but the job does not have it'
contains "$out" 'kml --context local submit --code .'

# A file that the job has is not said to be missing: the program in its first line is, or its line ends are wrong.
printf '#!/nonexistent/python\n' >interpreter
printf '#!/bin/sh\r\n' >windows
chmod +x interpreter windows
while IFS='|' read -r name text; do
  expect 0 "$KML" submit --context local --name "$name" -- "./$name"
  expect 3 "$KML" --context local wait "$name"
  expect 0 "$KML" --context local why "$name"
  contains "$out" "$text"
  [[ "$out" != *"does not have it"* ]] || fail "$out"
done <<'T'
interpreter|the program in the first line of ./interpreter, /nonexistent/python, does not exist
windows|sed -i 's/\r$//' ./windows
T
