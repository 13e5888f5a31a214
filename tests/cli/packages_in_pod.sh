# The program that installs packages in pods (src/job/packages/in_pod.py): one process builds an environment while others
# wait, a killed process leaves nothing incomplete behind, and an environment that is incomplete or belongs
# to another user is not used.
get=$(dirname "$0")/../support/get_uv
uv=$(bash "$get") || { echo "SKIPPED: uv cannot be installed"; exit 77; }
. "$(dirname "$0")/lib.sh"
mkdir wheels pod
python3 "$SOURCE/tests/support/make_wheel.py" wheels tiny 1.0
cp "$SOURCE"/src/job/packages/{in_pod,verify}.py pod
printf 'tiny==1.0 --hash=sha256:%s\n' "$(sha256sum wheels/tiny-1.0* | cut -d' ' -f1)" >pod/lock
settings() { # UV
  printf '{"noBuild": true, "requires": "%s", "source": "train.py", "uv": "1", "uvPath": "%s", "variables": {"UV_FIND_LINKS": "%s", "UV_OFFLINE": "1"}}' \
    "${requires:->=3.8}" "$1" "$work/wheels" >pod/settings
}
settings "$uv/uv"
# pod COMMAND...: what a pod runs
pod() { python3 -I -S pod/in_pod.py "$work/store" image "$@"; }
import='import tiny, sys; print(tiny.VERSION, sys.prefix)'

expect 0 pod python -c "$import"
contains "$out" "1.0 $work/store/"
id=$(ls store)
expect 7 pod sh -c 'tiny; [ "$VIRTUAL_ENV" = "$0" ] && exit 7' "$work/store/$id"
contains "$out" "the program of tiny 1.0"
[[ "$err" =~ ^kml:\ environment\ ${id:0:12},\ Python\ 3\.[0-9.]+,\ [a-z0-9_]+,\ [a-z]+\ [0-9.]+$ ]] || fail "$err"
expect 0 env RANK=1 python3 -I -S pod/in_pod.py "$work/store" image true
[ -z "$err" ] || fail "not silent: $err"
(cd "store/$id" && sha256sum --quiet -c kml-environment.sha256) || fail "the manifest is wrong"
expect 143 pod sh -c 'kill $$'
expect 141 pod sh -c 'kill -PIPE $$' # Python ignores this signal; the command must not

# 64 processes cause one build. Building and waiting processes are killed at random moments.
forget() { [ ! -e store ] || { chmod -R u+w store && rm -rf store; }; }
forget
for i in $(seq 64); do pod true 2>said.$i & done # as many ranks of a job
wait
[ "$(cat said.* | grep -c 'installing 1 package')" = 1 ] || fail "$(cat said.*)"
forget
killed() { # a pod that is killed within 0.4 s
  (setsid timeout -s KILL "0.$(printf %03d $((RANDOM % 400)))" python3 -I -S pod/in_pod.py "$work/store" image true || true) 2>/dev/null
}
for i in $(seq 16); do
  killed & killed & wait
  ! [ -e "store/$id" ] || [ "$(pod python -c 'import tiny; print(tiny.VERSION)' 2>/dev/null)" = 1.0 ] || fail "half-made after $i"
  [ $((i % 4)) != 0 ] || forget
done
expect 0 pod python -c "$import"
[ "$(ls -A store | grep -c building)" = 0 ] || fail "left behind: $(ls -A store)"

# --tidy, which kml runs as `python3 -c`, deletes old environments that no job uses, and files that killed builders
# have left.
tidy() { python3 -I -S -c "$(cat pod/in_pod.py)" --tidy "$work/store" "$@"; }
touch -d '2 days ago' "store/.$id.used"
mkdir store/.building-$id-1-2
(pod sh -c 'touch held; until [ -e go ]; do sleep 0.1; done') & held=$!
eventually test -e held
touch -d '2 days ago' "store/.$id.used"
expect 0 tidy 86400
[ "$out" = "0.0 MiB freed" ] && [ -e "store/$id" ] && [ ! -e store/.building-$id-1-2 ] || fail "$out: $(ls -A store)"
touch go
wait $held
expect 0 tidy 259200
[ -e "store/$id" ] || fail "$out"
expect 0 tidy 86400
contains "$out" "removed environment ${id:0:12}, 1 package"
[ ! -e "store/$id" ] || fail "$out"
expect 0 pod python -c "$import"

# Anything other than a complete environment of this user is built again.
spoil() { # HOW: a command, run in the environment
  chmod -R u+w "store/$id"
  (cd "store/$id" && eval "$1")
  expect 0 pod python -c "$import"
  contains "$out" "1.0"
  contains "$err" "installing 1 package"
}
spoil 'rm kml-environment.json'
spoil 'echo {} >kml-environment.json'
spoil 'sed -i s/image/other/ kml-environment.json'
spoil 'echo >>kml-environment.sha256'
spoil 'rm bin/python'
[ "$(id -u)" != 0 ] || spoil 'chown 1234 .'
[ "$(id -u)" != 0 ] || spoil 'chown 1234 kml-environment.json'
spoil 'cd .. && mv '$id' away && ln -s away '$id
chmod -R u+w store/away && rm -rf store/away

# Another image gets a separate environment. Without uv, pip installs the same packages.
expect 0 python3 -I -S pod/in_pod.py "$work/store" other python -c "$import"
[ "$(ls store | wc -l)" = 2 ] || fail "$(ls store)"
settings ""
path=$(dirname "$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')")
expect 0 env -u PIP_FIND_LINKS PATH="$path:/usr/bin:/bin" python3 -I -S pod/in_pod.py "$work/by_pip" image sh -c 'tiny; python -c "import tiny; print(tiny.VERSION)"'
contains "$out" "the program of tiny 1.0"

# The tag of an image may move: an image with other system packages gets a separate environment. On this machine,
# system packages do not matter.
python3 - <<'P' || fail "the system's packages"
import importlib.util
spec = importlib.util.spec_from_file_location("in_pod", "pod/in_pod.py")
in_pod = importlib.util.module_from_spec(spec)
spec.loader.exec_module(in_pod)
digest_of = in_pod.digest_of
def ids():
    found = []
    for path in ("", "/bin/uv"):
        in_pod.digest_of = digest_of
        before = in_pod.id_of(in_pod.facts_of("image", {"uv": "1", "uvPath": path}))
        in_pod.digest_of = lambda path: "other"
        found.append(before == in_pod.id_of(in_pod.facts_of("image", {"uv": "1", "uvPath": path})))
    return found
assert ids() == [False, True], ids()
P

# Failures say what is wrong, and leave nothing behind.
sed -i 's/sha256:..../sha256:0000/' pod/lock
settings "$uv/uv"
expect 125 python3 -I -S pod/in_pod.py "$work/bad" image true
contains "$err" "cannot install the packages of train.py"
[ -z "$(ls bad)" ] || fail "$(ls bad)"
requires='>=3.8,<3.9.1' settings "$uv/uv"
expect 125 pod true
contains "$err" "does not fit >=3.8,<3.9.1"
cat >fits.py <<'P'
import json, sys
sys.path.insert(0, "pod")
sys.dont_write_bytecode = True
import in_pod
in_pod.require_python(json.loads(in_pod.read("settings")))
P
for row in '>=3.8 0' '==3.* 0' '~=3.8 0' '!=3.8.* 0' '<3 125' '==2.7.* 125' '~=2.7 125' '>99 125'; do
  requires=${row% *} settings "$uv/uv"
  expect "${row#* }" python3 fits.py
done

# The fix names an image that exists and fits, whatever the order of the clauses.
python3 - <<'P' || fail "the image of the fix"
import sys
sys.path.insert(0, "pod")
sys.dont_write_bytecode = True
import in_pod
for requires, tag in [("<3.13,>=3.10", "3.10"), (">=3.10,<3.13", "3.10"), ("<3.13", "3.12"), ("<=3.12", "3.11"), ("~=3.8", "3.8"),
                      ("==3.11.*", "3.11"), ("!=3.11.*, >=3.11", "3.12"), ("==3.12", "3.12.0"), ("==3.12.3", "3.12.3"),
                      ("<3.12.5,>=3.12", "3.12.0"), (">=3.8,<3.9.1", "3.8"), ("<4,>=3.9", "3.9"), (">=3", "3"), (">=3.9,<3.9", "")]:
    found = in_pod.fitting_image(requires.split(","))
    assert found == tag, (requires, found, tag)
P
requires='<3.0,>=2.7' settings "$uv/uv"
expect 125 pod true
contains "$err" "--image python:2.7"

# Conda packages are for one processor, which the pod's node may not have.
printf '# kml: conda packages\nplatforms:\n- name: linux-s390x\n' >pod/lock
requires= settings "$uv/uv"
expect 125 pod true
contains "$err" "the packages of train.py are for linux-s390x"
contains "$err" "--node-selector kubernetes.io/arch="

# If the store is full, the fix says how to free space: on this machine, on a claim, and without a store.
if [ "$(id -u)" = 0 ]; then
  TAG=py3-none-any BYTES=20000000 python3 "$SOURCE/tests/support/make_wheel.py" wheels large 1.0
  printf 'large==1.0 --hash=sha256:%s\n' "$(sha256sum wheels/large-1.0* | cut -d' ' -f1)" >pod/lock
  mkdir full
  full() { unshare --mount sh -c 'mount -t tmpfs -o size=16m none full && exec env -u PIP_FIND_LINKS python3 -I -S pod/in_pod.py "$PWD/full/store" image true'; }
  while IFS='|' read -r path store said; do
    settings "$path"
    sed -i 's,^{,{"store": "'"$store"'"\, ,' pod/settings
    expect 125 full
    contains "$err" "cannot install the packages of train.py"
    contains "$err" "No space left on device"
    contains "$err" "fix: $said"
  done <<T
$uv/uv||free space, for example of environments that jobs no longer use: kml env gc
|pvc/shared/envs|free space on the claim: kml env gc --env-store pvc/shared/envs
||the node has no space for the packages: --env-store pvc/NAME
T
  mount_small() { unshare --mount sh -c 'mount -t tmpfs -o size=16m none full && : >full/file && (cat /dev/zero >full/file 2>/dev/null; exec python3 -I -S pod/in_pod.py "$PWD/full/store/here" image true)'; }
  expect 125 mount_small
  contains "$err" "cannot create a virtual environment"
  contains "$err" "--env-store pvc/NAME"
fi
