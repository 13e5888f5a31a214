# `kml image append --uv` and --requirements add the packages that the folder's files ask for: one layer, with the same
# bytes each time, even if this machine's Python is elsewhere. No code of a package runs here.
get=$(dirname "$0")/../support/get_uv
uv=$(bash "$get") || { echo "SKIPPED: uv cannot be installed"; exit 77; }
. "$(dirname "$0")/lib.sh"
export PATH=$uv:$PATH UV_FIND_LINKS=$work/wheels UV_OFFLINE=1
make="python3 $SOURCE/tests/support/make_wheel.py"
mkdir registry wheels code docker
$make wheels tiny 1.0
$make wheels tiny 2.0
$make wheels other 1.0 'tiny>=1'
TAG=cp310-abi3-manylinux_2_17_x86_64 $make wheels fast 1.0
TAG=cp312-cp312-manylinux_2_17_x86_64 $make wheels exact 1.0
TAG=cp313-cp313-manylinux_2_17_x86_64 $make wheels late 1.0
echo "mode" >registry/mode
export DOCKER_CONFIG=docker
echo '{}' >docker/config.json
python3 "$SOURCE/tests/support/fake_registry.py" registry & registry=$!
trap 'status=$?; kill $registry; finish $status' EXIT # finish would see kill's status
eventually test -f registry/port
at=localhost:$(cat registry/port)
echo 'print(1)' >code/train.py
printf '[project]\nname = "p"\nversion = "0"\nrequires-python = ">=3.9"\ndependencies = ["other", "tiny<2", "exact"]\n[project.optional-dependencies]\nmore = ["fast"]\n' >code/pyproject.toml
append() { "$KML" image append "$at/base/official:3" --tag "$at/team/x:1" "$@"; }
field() { python3 -c "import json, sys; print(eval('value' + sys.argv[2], {'value': json.load(open(sys.argv[1]))}))" "$@"; }
take() { # unpacks the layer with the packages; $config is the image's configuration
  layer=registry/blobs/$(field registry/manifests/team/x/1 '["layers"][0]["digest"]')
  config=registry/blobs/$(field registry/manifests/team/x/1 '["config"]["digest"]')
  rm -rf unpacked && mkdir unpacked && tar -xzf "$layer" -C unpacked
}

# The packages are below the code. Python finds them, and sh finds their programs.
expect 0 append --code code --uv
contains "$err" "packages: 3 packages of pyproject.toml for Python 3.12, "
contains "$err" "code: 2 files"
digest=${out#*@}
take
[ "$(field registry/manifests/team/x/1 '["layers"].__len__()')" = 2 ] || fail "$(cat registry/manifests/team/x/1)"
[ "$(field "$config" '["config"]')" = "{'Env': ['PATH=/kml/python/bin:/usr/local/bin:/bin', 'PYTHONPATH=/kml/python:/opt/lib', 'PYTHON_VERSION=3.12.7'], 'WorkingDir': '/kml/code'}" ] || fail "$(cat "$config")"
expect 0 env PYTHONPATH=unpacked/kml/python PYTHONDONTWRITEBYTECODE=1 python3 -c 'import other, tiny, exact; from importlib.metadata import version; print(version("tiny"), tiny.__file__)'
[[ "$out" = "1.0 "*unpacked/kml/python/tiny.py ]] || fail "$out"
expect 0 env PYTHONPATH=unpacked/kml/python unpacked/kml/python/bin/tiny
contains "$out" "the program of tiny 1.0"
[ "$(head -1 unpacked/kml/python/bin/tiny)" = "#!/usr/bin/env python3" ] || fail "$(cat unpacked/kml/python/bin/tiny)"
tar --numeric-owner -tvzf "$layer" >listed
[ "$(awk '{print $2, $4}' listed | sort -u)" = "0/0 1970-01-01" ] || fail "$(cat listed)"
grep '^-' listed | awk '{print $6}' | LC_ALL=C sort -c || fail "$(cat listed)"

# The same packages give the same bytes: again, with another Python on this machine, whose path is long, and without a
# cache. After a change of the code, only the code is sent.
expect 0 append --code code --uv
[ "${out#*@}" = "$digest" ] || fail "other bytes: $out"
long=$work/$(printf 'long%.0s' $(seq 40))
python3 -m venv --without-pip "$long"
expect 0 env UV_PYTHON="$long/bin/python3" UV_CACHE_DIR="$work/other-cache" "$KML" image append "$at/base/official:3" --tag "$at/team/x:1" --code code --uv
[ "${out#*@}" = "$digest" ] || { take; fail "other bytes: $(cat unpacked/kml/python/bin/tiny)"; }
echo 'print(2)' >code/train.py
: >registry/log
expect 0 append --code code --uv
[ "${out#*@}" != "$digest" ] && [ "$(grep -c ' PUT .*/blobs/' registry/log)" = 2 ] || fail "$(cat registry/log)"

# Without code, the working folder stays. --python may name another Python.
printf "[project]\nname = \"q\"\nversion = \"0\"\nrequires-python = \">=3.9\"\ndependencies = [\"other\", \"late\"]\n[project.optional-dependencies]\nmore = [\"fast\"]\n" >late.toml
expect 0 append --requirements late.toml --extra more --python 3.13 -o json
contains "$err" "packages: 4 packages of late.toml for Python 3.13"
take
[ "$(field "$config" '["config"]["WorkingDir"]')" = /old ] || fail "$(cat "$config")"
grep -q cp313 unpacked/kml/python/late-1.0.dist-info/WHEEL || fail "$(ls unpacked/kml/python)"
[ -e unpacked/kml/python/fast.py ] || fail "$(ls unpacked/kml/python)"
echo "tiny==1.0 --hash=sha256:$(sha256sum wheels/tiny-1.0* | cut -d' ' -f1)" >r.txt
expect 0 append --requirements r.txt

# Bad input: exit code, message, flags. Nothing is written.
before=$(find registry/manifests -type f | wc -l)
echo "tiny==1.0 --hash=sha256:$(printf '0%.0s' $(seq 64))" >wrong.txt
echo fast >fast.txt
echo 'absent' >absent.txt
printf '[project]\nname = "p"\nversion = "0"\nrequires-python = ">=3.13"\ndependencies = ["tiny"]\n' >new.toml
while IFS='|' read -r code text arguments; do
  expect "$code" "$KML" image append $arguments --tag "$at/team/y"
  contains "$err" "$text"
done <<T
1|do not match|$at/base/official:3 --requirements wrong.txt
1|absent was not found|$at/base/official:3 --requirements absent.txt
2|the image has Python 3.12|$at/base/official:3 --requirements new.toml
2|cannot determine the Python of|$at/base/python:3 --requirements r.txt
1|cannot install the packages of fast.txt|$at/base/python:3 --requirements fast.txt --python 3.12 --platform linux/arm64
2|--uv found no list of packages|$at/base/official:3 --uv
2|needs a pyproject.toml|$at/base/official:3 --requirements r.txt --extra more
2|--extra and --group need --uv|$at/base/official:3 --code code --extra more
2|--python needs --uv|$at/base/official:3 --code code --python 3.12
2|nothing to append|$at/base/official:3
2|it is a folder|$at/base/official:3 --requirements code
T
[ "$(find registry/manifests -type f | wc -l)" = "$before" ] || fail "an image was written"
