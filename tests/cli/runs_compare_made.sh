# `kml runs compare` shows how runs were made: the packages, the environment and the data of jobs, of
# pipelines' steps and of sweeps.
get=$(dirname "$0")/../support/get_uv
uv=$(bash "$get") || { echo "SKIPPED: uv cannot be installed"; exit 77; }
. "$(dirname "$0")/lib.sh"
export PATH=$uv:$PATH UV_FIND_LINKS=$work/wheels UV_OFFLINE=1
mkdir wheels hub
for version in 1.0 2.0; do python3 "$SOURCE/tests/support/make_wheel.py" wheels tiny $version; done
python3 "$SOURCE/tests/support/fake_hub.py" hub --large 3000 & hub=$!
trap 'status=$?; kill $hub; finish $status' EXIT
eventually test -s hub/port
export HF_ENDPOINT=http://127.0.0.1:$(cat hub/port)
commit=0123456789abcdef0123456789abcdef01234567
# row TEXT: a row of the last comparison, whose cells are separated by spaces
row() { [[ "$(tr -s ' ' <<<"$out")" == *"$1"* ]] || fail "no row \"$1\": $out"; }
# same_in_report RUN RUN: the page of these runs, which is also the browser's comparison, has all facts that `kml runs compare` knows
same_in_report() {
  expect 0 "$KML" runs compare "$1" "$2" -o json
  "$KML" runs report "$1" "$2" -o - >page.html 2>/dev/null
  python3 - "$out" page.html <<'P'
import json, re, sys
page = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', open(sys.argv[2]).read(), re.S)[1])
for said, shown in zip(json.loads(sys.argv[1]), page["runs"], strict=True):
    assert said["facts"] == shown["facts"], (said["facts"], shown["facts"])
    assert any("package " in fact for fact in said["facts"]), said
P
}

# Tests jobs: one row compares the ids of the environments, and further rows show which parts of the
# environments differ.
for version in 1.0 2.0; do
  echo "tiny==$version" >requirements.txt
  expect 0 "$KML" submit --requirements requirements.txt --name job-${version%.0} --wait -- sleep 0
done
expect 0 "$KML" runs compare job-1 job-2
row 'package tiny 1.0 2.0'
[[ "$(tr -s ' ' <<<"$out")" =~ environment\ [0-9a-f]{12}\ [0-9a-f]{12} ]] || fail "$out"
[[ "$out" != *libc* ]] || fail "equal, but shown: $out"
same_in_report job-1 job-2
expect 0 "$KML" runs compare job-1 job-2 --all
row "processor $(uname -m) $(uname -m)"
[[ "$(tr -s ' ' <<<"$out")" =~ libc\ [a-z]+\ [0-9.]+\ [a-z]+\ [0-9.]+ ]] || fail "$out"

# Steps.
touch kept
steps() { # VERSION REVISION
  echo "tiny==$1" >requirements.txt
  cat >pipeline.yaml <<Y
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: p}
spec:
  steps:
    train:
      requirements: requirements.txt
      code: {paths: [kept]}
      command: [python, -c, 'import tiny, sys; open(sys.argv[1], "w").write(tiny.VERSION)', '\${out.v}']
      outputs: {v: value}
Y
}
for version in 1.0 2.0; do
  steps $version
  expect 0 "$KML" run pipeline.yaml --name run-${version%.0}
done
expect 0 "$KML" runs compare run-1 run-2
row 'train package tiny 1.0 2.0'

# Sweeps.
for version in 1.0 2.0; do
  echo "tiny==$version" >requirements.txt
  expect 0 "$KML" sweep run sweep-${version%.0} --requirements requirements.txt --param x=1 --trials 1 --maximize score -- sh -c 'echo score={x}'
done
expect 0 "$KML" runs compare sweep-1 sweep-2
row 'package tiny 1.0 2.0'
[[ "$(tr -s ' ' <<<"$out")" =~ environment\ [0-9a-f]{12}\ [0-9a-f]{12} ]] || fail "$out"
same_in_report sweep-1 sweep-2
expect 0 "$KML" runs compare sweep-1 sweep-2 --all
row "processor $(uname -m) $(uname -m)"
[[ "$(tr -s ' ' <<<"$out")" =~ libc\ [a-z]+\ [0-9.]+\ [a-z]+\ [0-9.]+ ]] || fail "$out"

# Tests data, which is shown with its revision.
unshare --user --map-root-user --mount true 2>/dev/null || { echo "no namespaces here: data is not compared"; exit 0; }
rm requirements.txt
data() { # SOURCE
  cat >pipeline.yaml <<Y
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: p}
spec:
  steps:
    read: {code: {paths: [kept]}, data: ["$1:/rows"], command: [sh, -c, 'ls /rows >"\$0"', '\${out.n}'], outputs: {n: value}}
Y
  expect 0 "$KML" trust pipeline.yaml
}
data hf://datasets/ana/rows/data
expect 0 "$KML" run pipeline.yaml --name rows
data "$HF_ENDPOINT/file#sha256=$(cat hub/sum)"
expect 0 "$KML" run pipeline.yaml --name file
expect 0 "$KML" runs compare rows file
row "read data /rows hf://datasets/ana/rows@0123456789abcdef… $HF_ENDPOINT/file#sha256="
expect 0 "$KML" submit --name job-rows --data hf://datasets/ana/rows/data:/rows --wait -- true
expect 0 "$KML" submit --name job-file --data "$HF_ENDPOINT/file#sha256=$(cat hub/sum):/rows" --wait -- true
expect 0 "$KML" runs compare job-rows job-file
row "data hf://datasets/ana/rows@0123456789abcdef… $HF_ENDPOINT/file#sha256="
expect 0 "$KML" sweep run rows --data hf://datasets/ana/rows/data:/rows --param x=1 --trials 1 --maximize score -- sh -c 'echo score={x}'
expect 0 "$KML" runs compare file job-rows -o json
contains "$out" "hf://datasets/ana/rows@$commit/data"
expect 0 "$KML" runs compare sweep-1 sweep/rows
row "data - hf://datasets/ana/rows@0123456789abcdef"

# Values that begin alike are shown from where they differ.
long=$(printf 'x%.0s' $(seq 60))
for each in one two; do expect 0 "$KML" submit --name long-$each --wait -- echo "$long" $each é; done
expect 0 "$KML" runs compare long-one long-two
row "xxx one"
row "xxx two"
