# A damaged environment is installed again before a job uses it: once, although many jobs start, and without taking files
# from jobs that run. `kml env verify` also finds damage that sizes and times do not show.
get=$(dirname "$0")/../support/get_uv
uv=$(bash "$get") || { echo "SKIPPED: uv cannot be installed"; exit 77; }
. "$(dirname "$0")/lib.sh"
mkdir wheels pod
python3 "$SOURCE/tests/support/make_wheel.py" wheels tiny 1.0
cp "$SOURCE"/src/job/packages/{in_pod,verify}.py pod
printf 'tiny==1.0 --hash=sha256:%s\n' "$(sha256sum wheels/tiny-1.0* | cut -d' ' -f1)" >pod/lock
printf '{"noBuild": true, "requires": ">=3.8", "source": "train.py", "uv": "1", "uvPath": "", "variables": {"UV_FIND_LINKS": "%s", "UV_OFFLINE": "1"}}' "$work/wheels" >pod/settings
export PATH=$uv:$PATH
pod() { python3 -I -S pod/in_pod.py "$work/store" image "$@"; }
import='import tiny; print(tiny.VERSION)'
expect 0 pod python -c "$import"
id=$(ls store)
site=$(cd "store/$id" && echo lib/python3*/site-packages)
spoil() { (cd "store/$id" && find . -type d -exec chmod u+w {} + && find . -type f -exec chmod u+w {} + && eval "$1"); }

# Each row damages the environment in another way. The first job repairs it, so the second job finds no
# damage.
while IFS='|' read -r said how; do
  spoil "$how"
  expect 0 pod python -c "$import"
  contains "$out" "1.0"
  contains "$err" "cannot be used: "
  contains "$err" "$said"
  contains "$err" "installing 1 package"
  expect 0 pod python -c "$import"
  [[ "$err" != *installing* ]] || fail "installed twice after: $how: $err"
  (cd "store/$id" && sha256sum --quiet -c kml-environment.sha256) || fail "still damaged after: $how"
done <<T
tiny.py has changed|truncate -s 3 $site/tiny.py
tiny.py has changed|: >$site/tiny.py
tiny.py has changed|echo x >>$site/tiny.py
tiny.py has changed|sed 's/1.0/9.9/' $site/tiny.py >t && mv t $site/tiny.py
tiny.py is missing|rm $site/tiny.py
tiny.py is not a file|rm $site/tiny.py && mkdir $site/tiny.py
tiny.py is not a file|mv $site/tiny.py /tmp/tiny.\$\$ && ln -s /tmp/tiny.\$\$ $site/tiny.py
is missing|rm -r $site/tiny-1.0.dist-info
bin/tiny has changed|echo x >>bin/tiny
bin/tiny is missing|rm bin/tiny
its Python is missing|rm bin/python3
bin/python3.11 is missing|rm bin/python3.11
bin/python has changed|ln -sf /bin/true bin/python
extra.pth is not of its packages|echo 'import os' >$site/extra.pth
sitecustomize.py is not of its packages|echo >$site/sitecustomize.py
its list of files cannot be read|rm kml-environment.sha256
kml-environment.sha256 has changed|echo >>kml-environment.sha256
has changed|sed -i 's/^./-/' kml-environment.sha256 && rm kml-environment.times
its description is missing|rm kml-environment.json
its description is missing|truncate -s 10 kml-environment.json
T
if [ "$(id -u)" = 0 ]; then
  while IFS='|' read -r said how; do
    spoil "$how"
    expect 0 pod python -c "$import"
    contains "$err" "$said"
    contains "$err" "installing 1 package"
  done <<T
not a folder of this user|chown 1234 .
sha256 belongs to another user|chown 1234 kml-environment.sha256
json belongs to another user|chown 1234 kml-environment.json
tiny.py belongs to another user|chown 1234 $site/tiny.py
T
fi

# These are not damage: a file that a program run by root writes beside the packages, other times of files,
# and a missing or incomplete list of times.
while read -r how; do
  spoil "$how"
  expect 0 pod python -c "$import"
  [[ "$err" != *"cannot be used"* ]] || fail "$how: $err"
  expect 0 pod python -c "$import"
done <<T
echo >$site/__pycache__/new.pyc
touch -d '1 hour ago' $site/tiny.py
rm kml-environment.times
truncate -s 100 kml-environment.times
T

# The cache may be damaged, too, because environments share its files.
printf 'x' | tee $(find store/.cache-* -name tiny.py) >/dev/null
spoil 'touch -d "1 hour ago" kml-environment.json; rm kml-environment.json'
expect 0 pod python -c "$import"
contains "$out" "1.0"
contains "$err" "the cache has other files of tiny than their wheels"

# 16 jobs that start together cause one installation. A job that runs keeps its files, under the same names.
(pod python -c 'import time, os, sys, tiny
open("held", "w").close()
while not os.path.exists("go"): time.sleep(0.05); open(tiny.__file__).close()
import importlib; importlib.reload(tiny); print("went on with", tiny.VERSION)' >ran 2>&1) & held=$!
eventually test -e held
spoil "echo x >>bin/tiny"
jobs=""
for i in $(seq 16); do pod python -c "$import" >out.$i 2>said.$i & jobs="$jobs $!"; done
for job in $jobs; do wait $job || fail "$(cat said.*)"; done
[ "$(cat said.* | grep -c 'installing 1 package')" = 1 ] || fail "$(cat said.*)"
[ "$(cat out.* | grep -c '^1.0$')" = 16 ] || fail "$(cat out.*)"
[ -d store/.damaged-$id-* ] || fail "the files of the running job are deleted: $(ls -A store)"
tidy() { python3 -I -S -c "$(cat pod/in_pod.py)" --tidy "$work/store" "$@"; }
expect 0 tidy 86400
[ -d store/.damaged-$id-* ] || fail "deleted while used: $(ls -A store)"
touch go
wait $held || fail "$(cat ran)"
contains "$(cat ran)" "went on with 1.0"
touch -d '2 days ago' store/.*.used
expect 0 tidy 86400
[ -z "$(ls -d store/.damaged-* 2>/dev/null)" ] || fail "$(ls -A store)"
[ ! -e "store/$id" ] || fail "the environment that no job uses was kept: $(ls -A store)"
expect 0 pod true

# `kml env verify` reads all contents.
environments=$XDG_STATE_HOME/kml/environments
expect 0 "$KML" env verify
[ -z "$out" ] || fail "$out"
mkdir -p "$environments" && cp -a "store/$id" "$environments/"
expect 0 "$KML" env verify
contains "$out" "environment ${id:0:12} is unchanged, 1 package"
(cd "$environments/$id" && chmod u+w $site/tiny.py && touch -r $site/tiny.py time && sed -i 's/1.0/9.9/' $site/tiny.py && touch -r time $site/tiny.py)
expect 1 "$KML" env verify
contains "$out" "environment ${id:0:12} is damaged: $site/tiny.py has changed; the next job installs it again"
mv store old
ln -s "$environments" store
expect 0 pod python -c "$import"
contains "$out" "1.0"
contains "$err" '`kml env verify` found a fault'
expect 0 "$KML" env verify
contains "$out" "is unchanged"
expect 0 pod true
[[ "$err" != *installing* ]] || fail "$err"

# Other folders of the claim, such as data of `kml submit --data`, are not environments, whatever files they have.
for name in kml-data-9e6 lost+found "${id:1}" "x${id:1}"; do mkdir "$environments/$name" && cp "$environments/$id/kml-environment.json" "$environments/$name"; done
mkdir "$environments/kml-data-empty"
expect 0 "$KML" env verify
[ "$(wc -l <<<"$out")" = 1 ] || fail "$out"
expect 0 "$KML" env list
[ "$(wc -l <<<"$out")" = 2 ] || fail "$out"
touch -d '2 days ago' "$environments"/.*.used
expect 0 tidy 0
expect 0 "$KML" env gc --older-than 0s
[ "$(ls "$environments" | wc -l)" = 5 ] || fail "$(ls "$environments")"
