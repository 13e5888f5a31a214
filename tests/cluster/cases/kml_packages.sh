# Packages of `kml submit --uv` on a cluster: pods share the environments on a claim or on their node, and
# each environment is built by one of them.
. "$(dirname "$0")/uv_lib.sh"

# Three pods, and a later job, cause one build on the claim. A job that runs on another volume builds its own.
submit --name gang -t job-indexed --nodes 3 --env-store pvc/shared/envs
expect 0 "$KML" logs gang
[ "$(grep -c 'installing 1 package' <<<"$out")" = 1 ] || fail "$out"
[ "$(grep -c 'tiny 1.0 in /kml/environments/' <<<"$out")" = 3 ] || fail "$out"
ls "$volume"/envs/*/kml-environment.json || fail "$(ls -R "$volume")"
submit --name later --env-store pvc/shared/envs
expect 0 "$KML" logs later
[[ "$out" != *installing* ]] || fail "$out"
submit --name node --env-store "host$work/on_node"
expect 0 "$KML" logs node
contains "$out" "installing 1 package"
submit --name alone
contains "$err" "--env-store pvc/NAME keeps them"

# Environments that no job uses are deleted from the claim.
expect 0 timeout 1000 "$KML" env gc --env-store pvc/shared/envs --image localhost/uv:1
contains "$out" "0.0 MiB freed"
touch -d '40 days ago' "$volume"/envs/.*.used
expect 0 timeout 1000 "$KML" env gc --env-store pvc/shared/envs --image localhost/uv:1
contains "$out" "removed environment"
! ls "$volume"/envs/*/kml-environment.json || fail "$(ls -A "$volume"/envs)"

expect 0 "$KML" runs compare gang node --all
[[ "$out" =~ python\ +3\.11\.[0-9]+\ +3\.11\. ]] || fail "$out"

# If the image has no Python, the job says so.
expect 3 env UV_FIND_LINKS="$work/wheels" "$KML" submit --name bare --uv --code code --image localhost/busybox:1 \
  --node-selector kubernetes.io/hostname=node1 --wait --timeout 1000s -- python train.py
expect 0 "$KML" why bare
contains "$out" "the image has no python3"
cluster image localhost/nothing:1 /bin/busybox /bin/busybox:bin/busybox >/dev/null
expect 3 env UV_FIND_LINKS="$work/wheels" "$KML" submit --name no-shell --uv --image localhost/nothing:1 \
  --node-selector kubernetes.io/hostname=node1 --wait --timeout 1000s -- python code/train.py
expect 0 "$KML" why no-shell
contains "$out" "has no sh, which --uv, --requirements and --conda need"
