. "$(dirname "$0")/lib.sh"
# The job runs the files that the folder had at submit time, without those that git ignores, in a writable folder.
mkdir -p project/lib && cd project
git init -q .
echo ignored.txt >.gitignore
echo secret >ignored.txt
printf '#!/bin/bash\n. lib/part.sh\nls -A\necho new >made\n' >run.sh
chmod +x run.sh
echo 'echo first' >lib/part.sh
ln -s run.sh link
cd ..
expect 0 "$KML" submit --name held --code project --gpus 0 --set spec.suspend=true -- ./link
[[ "$err" =~ "code: 4 files, "[0-9]+" B compressed" ]] || fail "$err"
echo 'echo edited' >project/lib/part.sh
expect 0 "$KML" resume held
expect 0 "$KML" wait held
expect 0 "$KML" logs held
contains "$out" first
[[ "$out" != *ignored.txt* && "$out" != *.git$'\n'* ]] || fail "what git ignores went along: $out"
[ ! -e project/made ] || fail "the job wrote into the folder itself"

# The Secret is named by its contents: two tasks and a second submit share it, and it is deleted with the last job.
"$KML" local kubeconfig >kubeconfig
secrets() { KUBECONFIG=$work/kubeconfig kubectl get secrets -o name | grep -c kml-code || true; }
expect 0 "$KML" submit --name second --code project --array 0-1 --wait -- ./run.sh
expect 0 "$KML" submit --name third --code project --wait -- ./run.sh
[ "$(secrets)" = 2 ] || fail "$(secrets) secrets of two versions"
expect 0 "$KML" delete held second
one() { [ "$(secrets)" = 1 ]; }
eventually one
# A rerun uses the original code, from the cluster or from the folder. If neither has it, the rerun fails.
echo 'echo once more' >project/lib/part.sh
expect 0 "$KML" rerun third --wait
expect 0 "$KML" logs "$(sed -n 's/^job \(.*\) submitted$/\1/p' "$work/out")"
contains "$out" edited
expect 0 "$KML" delete $("$KML" list -o name | sed 's,.*/,,')
none() { [ "$(secrets)" = 0 ]; }
eventually none
expect 1 "$KML" rerun third
contains "$err" "is deleted"
echo 'echo edited' >project/lib/part.sh
expect 0 "$KML" rerun third --wait

# If the code is neither in the cluster nor in the folder, kml restores it from the recorded commit and the
# uncommitted changes, provided that this gives the same files.
cd project
commit() { git add . && git -c user.name=a -c user.email=a@b commit -qm "$1"; }
commit one
echo 'echo uncommitted' >lib/part.sh
expect 0 "$KML" submit --name fourth --code . --wait -- ./run.sh
touch untracked
expect 0 "$KML" submit --name fifth --code . --wait -- ./run.sh
rm untracked
(cd lib && expect 0 "$KML" submit --name part --code . --wait -- sh part.sh)
expect 0 "$KML" delete $("$KML" list -o name | sed 's,.*/,,')
eventually none
commit two
echo 'echo later' >lib/part.sh
expect 0 "$KML" rerun fourth --follow
contains "$out" uncommitted
contains "$err" "and its uncommitted changes"
expect 0 "$KML" rerun part --follow
contains "$out" uncommitted
expect 1 "$KML" rerun fifth
contains "$err" "with the recorded changes has other files"
[ "$(cat lib/part.sh)" = 'echo later' ] || fail "the folder was changed"
