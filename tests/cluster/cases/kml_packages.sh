# Packages of `kml submit --uv` on a cluster: pods share the environments on a claim or on their node, and
# each environment is built by one of them.
get=$(dirname "$0")/../../support/get_uv
uv=$(bash "$get") || { echo "SKIPPED: uv cannot be installed"; exit 77; }
. "$(dirname "$0")/lib.sh"
need_volume shared ReadWriteMany
mkdir -p wheels -m 755 lib
mkdir -m 777 tmp
python3 "$SOURCE/tests/support/make_wheel.py" wheels tiny 1.0
cp -rL /usr/lib/python3.11/*.py /usr/lib/python3.11/{collections,ctypes,encodings,importlib,json,lib-dynload,logging,re,urllib,venv} lib
find lib -name __pycache__ -prune -exec rm -r {} +
libraries=$(for file in /usr/bin/python3.11 lib/lib-dynload/*.so "$uv/uv"; do ldd "$file"; done | grep -o '/[^ ]*' | sort -u)
cluster image localhost/uv:1 /usr/bin/python3 /bin/busybox:bin/busybox /bin/busybox:bin/sh /usr/bin/python3.11:usr/bin/python3 \
  "$uv/uv:usr/bin/uv" "$work/lib:usr/lib/python3.11" "$work/wheels:wheels" "$work/tmp:tmp" $(sed 's#.*#&:&#' <<<"$libraries") >/dev/null
mkdir code
printf '# /// script\n# dependencies = ["tiny"]\n# ///\nimport sys, tiny\nprint("tiny", tiny.VERSION, "in", sys.prefix)\n' >code/train.py
export PATH=$uv:$PATH UV_OFFLINE=1
submit() { # FLAG... : with wheels that are in the image
  UV_FIND_LINKS=$work/wheels expect 0 "$KML" submit --uv --code code --image localhost/uv:1 --env UV_FIND_LINKS=/wheels --env HOME=/tmp \
    --node-selector kubernetes.io/hostname=node1 --wait --timeout 1000s "$@" -- python train.py
}

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
