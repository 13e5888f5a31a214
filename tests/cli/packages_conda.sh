# `kml submit --conda`: the packages of an environment.yml, chosen by a real solver from a channel that the test makes.
get=$(dirname "$0")/../support
uv=$(bash "$get/get_uv") && rattler=$(sh "$get/get_rattler") || { echo "SKIPPED: uv or py-rattler cannot be installed"; exit 77; }
. "$(dirname "$0")/lib.sh"
mkdir wheels project channels
python3 "$SOURCE/tests/support/make_conda.py" channels/ours
cp "$rattler"/*.whl wheels
python3 "$SOURCE/tests/support/make_wheel.py" wheels tiny 1.0
python3 "$SOURCE/tests/support/make_wheel.py" wheels tiny 3.0
python3 "$SOURCE/tests/support/make_wheel.py" wheels other 1.0 'tiny>=1'
export PATH=$uv:$PATH UV_FIND_LINKS=$work/wheels UV_OFFLINE=1 CONDA_CHANNEL_ALIAS=file://$work/channels
environments=$XDG_STATE_HOME/kml/environments
cd project
environment() { # PACKAGES CHANNEL
  printf 'name: p\nchannels: [%s]\ndependencies: [%s]\n' "${2:-ours}" "$1" >environment.yml
}
run() { expect 0 "$KML" submit --conda environment.yml --follow "$@"; }
import='import tiny, sys; print("tiny", tiny.VERSION, "in", sys.prefix)'

# The first job installs the packages, under the path that their files name, and the next one finds them.
environment 'python, tool, tiny=1'
run --name one -- sh -c 'tool; tiny; echo "home $TOOL_HOME"; exec python -c "$0"' "$import"
contains "$out" "tool in $environments/"
contains "$out" "the program of tiny 1.0"
contains "$out" "tiny 1.0 in $environments/"
[[ "$out" =~ home\ $environments/[0-9a-f]+/tool ]] || fail "the package's script did not run: $out"
contains "$out$err" "installing 3 packages with conda"
version=$(python3 -c 'import sys; print("%d.%d.0" % sys.version_info[:2])')
contains "$out$err" ", Python $version"
run --name two -- python -c "$import"
contains "$out" "tiny 1.0"
[[ "$out$err" != *installing* ]] || fail "it was installed again: $out$err"
(cd "$environments"/[0-9a-f]* && sha256sum --quiet -c kml-environment.sha256) || fail "the manifest is wrong"
ls -A "$environments" | grep -q building && fail "left behind: $(ls -A "$environments")"

# A package may name its channel, which is also on the server of CONDA_CHANNEL_ALIAS.
environment 'python, ours::tiny=1'
run -- python -c "$import"
contains "$out" "tiny 1.0"
environment 'python, theirs::tiny=1'
expect 1 "$KML" submit --conda environment.yml -- true
contains "$err" "cannot resolve the packages of environment.yml"

# For the list for pip, uv chooses the versions that conda has chosen, and installs only the packages that conda does
# not install.
environment 'python, tiny=1, {pip: [other]}'
run --name three -- python -c "$import; import importlib.metadata as m; print('other', m.version('other'))"
contains "$out" "tiny 1.0"
contains "$out" "other 1.0"
expect 0 "$KML" runs compare one three
[[ "$out" =~ package\ other\ +-\ +1\.0 ]] || fail "$out"
[[ "$out" =~ package\ tool\ +1\.0\ +- ]] || fail "$out"

# A rerun gets the packages of the original run.
expect 0 "$KML" delete $("$KML" list -o name | sed 's,.*/,,')
chmod -R u+w "$environments" && rm -rf "$environments"
expect 0 "$KML" rerun three --follow -- python -c "$import"
contains "$out" "tiny 1.0"

# Tests the default of a project, and steps of pipelines: a step runs again if the file has changed.
environment 'python, tiny'
echo 'conda: environment.yml' >kml.yaml
expect 0 "$KML" submit --follow -- python -c "$import"
contains "$out" "tiny 2.0"
rm kml.yaml
touch kept.py
cat >pipeline.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: p}
spec:
  steps:
    train: {conda: environment.yml, code: {paths: [kept.py]}, command: [python, -c, 'import tiny, sys; open(sys.argv[1], "w").write(tiny.VERSION)', '${out.v}'], outputs: {v: value}}
Y
expect 0 "$KML" run pipeline.yaml
environment 'python, tiny=1'
expect 0 "$KML" run pipeline.yaml --dry-run
contains "$out" "environment.yml changed"

# For a cluster, the packages are those for the nodes' processor, and kml rejects a channel in a folder of
# this machine.
kubeconfig_of_cluster
fake_cluster() { KUBECONFIG=kubeconfig "$KML" submit --conda environment.yml --image python:3 --dry-run "$@" -- true; }
environment far
expect 0 fake_cluster --node-selector kubernetes.io/arch=s390x
contains "$out" kml-packages-
expect 1 fake_cluster
contains "$err" "cannot resolve the packages of environment.yml"
contains "$err" "far"
environment far "$work/channels/ours"
expect 2 fake_cluster
contains "$err" "environment.yml is not trusted"
expect 0 "$KML" trust environment.yml
expect 2 fake_cluster
contains "$err" "is a folder on this machine"

# Files with settings that kml cannot follow are rejected, with the position.
rejected() { # TEXT MESSAGE
  printf "$1" >bad.yml
  expect 2 "$KML" submit --conda bad.yml -- true
  contains "$err" "$2"
}
rejected 'dependencies: [python]\nvariables: {A: b}\n' 'bad.yml:2:1: kml does not set variables from this file'
rejected 'dependencies: python\n' 'bad.yml:1:15: dependencies must be a list'
rejected 'dependencies: [python, {npm: [x]}]\n' '"npm" is not an installer that kml knows'
rejected 'dependencies: [python, {pip: [-r x.txt]}]\n' 'options of pip are not supported here'
rejected 'channels: [ours]\n' 'lists no conda packages'
