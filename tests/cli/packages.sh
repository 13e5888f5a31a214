# `kml submit --uv` and --requirements: a job runs with exactly the packages that its files ask for, installed once. All
# packages are wheels that the test makes, so no real package index is contacted.
get=$(dirname "$0")/../support/get_uv
uv=$(bash "$get") || { echo "SKIPPED: uv cannot be installed"; exit 77; }
. "$(dirname "$0")/lib.sh"
mkdir wheels project
python3 "$SOURCE/tests/support/make_wheel.py" wheels tiny 1.0
python3 "$SOURCE/tests/support/make_wheel.py" wheels tiny 2.0
python3 "$SOURCE/tests/support/make_wheel.py" wheels other 1.0 'tiny>=1'
cd project
header() { # REQUIREMENT...
  printf '# /// script\n# requires-python = ">=3.9"\n# dependencies = ['
  printf '"%s", ' "$@"
  printf ']\n# ///\n'
}
{ header 'tiny<2' && echo 'import sys, tiny; print("tiny", tiny.VERSION, "in", sys.prefix)'; } >train.py

# Without uv, kml says how to get it.
expect 1 env PATH=/usr/bin:/bin "$KML" submit --uv -- python train.py
contains "$err" "uv is not installed"
contains "$err" "pip install uv"
export PATH=$uv:$PATH UV_FIND_LINKS=$work/wheels UV_OFFLINE=1
environments=$XDG_STATE_HOME/kml/environments

# The first job installs the packages, and the second one finds them. The packages' programs are in PATH.
expect 0 "$KML" submit --uv --name one --follow -- python train.py
contains "$out" "tiny 1.0 in $environments/"
contains "$out$err" "installing 1 package"
expect 0 "$KML" submit --uv --name two --follow -- sh -c 'tiny; exec python "$0"' train.py
contains "$out" "the program of tiny 1.0"
[[ "$out$err" != *installing* ]] || fail "it was installed again: $out$err"
expect 0 "$KML" submit --name without --follow -- sh -c 'echo "environment: $VIRTUAL_ENV"'
[[ "$out" != *environments* ]] || fail "$out"

# As with `uv run`, PYTHONPATH precedes the environment. The job's log says which packages this replaces.
mkdir -p ../shadow/tiny ../shadow/unrelated
echo 'VERSION = "of PYTHONPATH"' >../shadow/tiny/__init__.py
print='import tiny; print("tiny", tiny.VERSION)'
echo 'tiny<2' >shadowed.txt
PYTHONPATH=$work/shadow expect 0 uv run -q --no-project --with 'tiny<2' python -c "$print"
contains "$out" "tiny of PYTHONPATH"
PYTHONPATH=$work/none:$work/shadow expect 0 "$KML" submit --requirements shadowed.txt --follow -- python -c "$print"
contains "$out" "tiny of PYTHONPATH"
contains "$out$err" "kml: PYTHONPATH has $work/shadow, so tiny is imported from there, not from the packages of shadowed.txt; --env PYTHONPATH= prevents this"
PYTHONPATH=$work/shadow expect 0 "$KML" submit --requirements shadowed.txt --env PYTHONPATH= --follow -- python -c "$print"
contains "$out" "tiny 1.0"
[[ "$out$err" != *"PYTHONPATH has"* ]] || fail "$out$err"
PYTHONPATH=$work/shadow/unrelated expect 0 "$KML" submit --requirements shadowed.txt --follow -- python -c "$print"
[[ "$out$err" != *"PYTHONPATH has"* ]] || fail "$out$err"

# The record has the lock, and a comparison shows the versions.
{ header 'other' && echo 'import tiny; print(tiny.VERSION)'; } >train.py
expect 0 "$KML" submit --uv --name three --follow -- python train.py
contains "$out" "2.0"
expect 0 "$KML" history -o json
python3 -c '
import json, sys
one, *_, three = [run["packages"] for run in json.load(sys.stdin) if "packages" in run]
assert one["packages"] == 1 and three["packages"] == 2, (one, three)
assert one["source"] == "train.py" and one["requires"] == ">=3.9" and one["uv"] and one["python"], one
assert one["lock"] != three["lock"]' <<<"$out"
expect 0 "$KML" runs compare one three
[[ "$out" =~ package\ tiny\ +1\.0\ +2\.0 ]] || fail "$out"
[[ "$out" =~ package\ other\ +-\ +1\.0 ]] || fail "$out"
# A comparison of sweeps shows the versions, too.
for wanted in 'tiny<2' 'tiny'; do
  { header "$wanted" && echo 'print("loss=1")'; } >train.py
  expect 0 "$KML" sweep run "sweep-${#wanted}" --uv --param x=1 --minimize loss -- python train.py '{x}'
done
expect 0 "$KML" runs compare sweep-6 sweep-4
[[ "$out" =~ package\ tiny\ +1\.0\ +2\.0 ]] || fail "$out"

# A rerun gets the packages of the original run, although the job, its Secret and the environment are deleted.
expect 0 "$KML" delete $("$KML" list -o name | sed 's,.*/,,')
chmod -R u+w "$environments" && rm -rf "$environments"
expect 0 "$KML" rerun one --follow -- python -c 'import tiny; print("again", tiny.VERSION)'
contains "$out" "again 1.0"
# A rerun with another list gets the packages of that list, and so do reruns of the rerun.
echo 'tiny>=2' >newer.txt
expect 0 "$KML" rerun one --name newer --requirements newer.txt --follow -- python -c 'import tiny; print("newer", tiny.VERSION)'
contains "$out" "newer 2.0"
expect 0 "$KML" runs compare one newer
[[ "$out" =~ package\ tiny\ +1\.0\ +2\.0 ]] || fail "$out"
expect 0 "$KML" rerun newer --follow
contains "$out" "newer 2.0"

# Without a command, a rerun with --uv reads the script that the recorded command names, in the folder of the
# job or of its code, wherever kml is run.
mkdir coded
{ header 'tiny<2' && echo 'import tiny; print("script", tiny.VERSION)'; } | tee train.py >coded/train.py
expect 0 "$KML" submit --requirements newer.txt --name plain --follow -- python train.py
contains "$out" "script 2.0"
expect 0 "$KML" submit --requirements newer.txt --name coded --code coded --follow -- python train.py
contains "$out" "script 2.0"
cd /
for name in plain coded; do
  expect 0 "$KML" rerun $name --name $name-uv --uv --follow
  contains "$out" "script 1.0"
done
cd "$work/project"

# Jobs that run at the same time cause one build.
{ header 'tiny' 'other' && echo 'import tiny, other'; } >train.py
for i in 1 2 3 4 5 6 7 8; do "$KML" submit --uv --name side$i --cpu 10m -- python train.py >/dev/null 2>"$work/side$i" & done
wait
for i in 1 2 3 4 5 6 7 8; do expect 0 "$KML" wait side$i; done
installed=$(for i in 1 2 3 4 5 6 7 8; do "$KML" logs side$i; done | grep -c 'installing 2 packages')
[ "$installed" = 1 ] || fail "$installed builds"

# Packages can also come from a requirements file, pyproject.toml, its uv.lock or kml.yaml, and trials of a
# sweep get them, too.
printf 'tiny == 2.0  # this one\n' >requirements.txt
import='import tiny; print("tiny", tiny.VERSION)'
expect 0 "$KML" submit --requirements requirements.txt --follow -- python -c "$import"
contains "$out" "tiny 2.0"
printf 'def version():\n    import tiny\n    return tiny.VERSION\n' >calls.py
KML_BINARY=$KML PYTHONPATH=$SOURCE/release/python PYTHONDONTWRITEBYTECODE=1 expect 0 python3 -c 'import calls, kml
with kml.Executor(requirements="requirements.txt") as executor:
    print("called", executor.submit(calls.version).result())'
contains "$out" "called 2.0"
mkdir with_lock && cd with_lock
printf '[project]\nname = "p"\nversion = "0"\nrequires-python = ">=3.9"\ndependencies = ["tiny<2"]\n' >pyproject.toml
expect 0 "$KML" submit --uv --follow -- python -c "$import"
contains "$out" "tiny 1.0"
uv lock -q
expect 0 "$KML" submit --uv --code . --follow -- python -c "$import"
contains "$out" "tiny 1.0"
cd ..
echo 'requirements: requirements.txt' >kml.yaml
expect 0 "$KML" sweep run s --param x=1,2 --trials 2 --maximize score -- python -c 'import tiny; print("score=%s" % (float(tiny.VERSION) * {x}))'
contains "$out$err" "best score 4"
rm kml.yaml
cat >pipeline.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: p}
spec:
  steps:
    train: {requirements: requirements.txt, command: [python, -c, 'import tiny, sys; open(sys.argv[1], "w").write(tiny.VERSION)', '${out.v}'], outputs: {v: value}}
Y
expect 0 "$KML" run pipeline.yaml
expect 0 "$KML" runs -o json
contains "$out" '"train.v"'
# A step runs again if the content of the file that names its packages, or of an included file, has changed.
touch kept.py
echo '-r requirements.txt' >all.txt
sed -i 's/requirements: requirements.txt,/requirements: all.txt, code: {paths: [kept.py]},/' pipeline.yaml
expect 0 "$KML" run pipeline.yaml
expect 0 "$KML" run pipeline.yaml --dry-run
contains "$out" "HIT"
sed -i 's/2.0/1.0/' requirements.txt
expect 0 "$KML" run pipeline.yaml --dry-run
contains "$out" "all.txt changed"
sed -i 's/1.0/2.0/' requirements.txt
# The same is true with a record of what the step reads: kml, not the step, reads these files.
cat >recorded.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: recorded}
spec:
  steps:
    train: {requirements: all.txt, command: [python, -c, 'import tiny, sys; open(sys.argv[1], "w").write(tiny.VERSION)', '${out.v}'], outputs: {v: value}}
Y
expect 0 "$KML" run recorded.yaml --record
contains "$out" "v=2.0"
echo unrelated >unrelated.txt
expect 0 "$KML" run recorded.yaml --dry-run
contains "$out" "HIT"
sed -i 's/2.0/1.0/' requirements.txt
expect 0 "$KML" run recorded.yaml --dry-run
contains "$out" "all.txt changed"
expect 0 "$KML" run recorded.yaml --record
contains "$out" "v=1.0"
sed -i 's/1.0/2.0/' requirements.txt
expect 0 "$KML" run recorded.yaml --dry-run
contains "$out" "HIT" # the earlier result is valid again
rm unrelated.txt

# If a pod cannot install a package, kml names it, and why.
mkdir vanishing && python3 "$SOURCE/tests/support/make_wheel.py" vanishing gone 1.0
echo gone >gone.txt
rm -f go
expect 0 "$KML" submit --name before-gone -- sh -c 'until [ -e go ]; do sleep 0.05; done'
UV_FIND_LINKS=$PWD/vanishing expect 0 "$KML" submit --name no-gone --after before-gone --requirements gone.txt -- python -c 'import gone'
rm vanishing/gone*
touch go
expect 3 "$KML" wait no-gone --timeout 1000s
contains "$err" "cannot install the packages of gone.txt: "
contains "$err" "gone==1.0"
expect 0 "$KML" why no-gone
[[ "$(grep '^  why ' <<<"$out")" == *"exit code 125: cannot install the packages of gone.txt: "*"gone==1.0"* ]] || fail "$out"
expect 0 "$KML" list no-gone
contains "$out" "cannot install the packages of gone.txt"

# kml rejects packages that uv does not find, and untrusted files that would make uv use other sources.
echo '--find-links ../wheels' >sources.txt && echo tiny >>sources.txt
expect 2 "$KML" submit --requirements sources.txt -- python -c "$import"
contains "$err" "sources.txt is not trusted"
contains "$err" "sources.txt:1"
expect 0 "$KML" trust sources.txt
expect 0 env -u UV_FIND_LINKS -u UV_OFFLINE "$KML" submit --requirements sources.txt --dry-run -- python -c "$import"
contains "$out" kml-packages-
echo 'absent>3' >absent.txt
expect 1 "$KML" submit --requirements absent.txt -- true
contains "$err" "cannot resolve the packages of absent.txt"
contains "$err" "absent was not found"
{ echo '# /// script' && echo '# requires-python = ">=9"' && echo '# ///'; } >future.py
expect 1 "$KML" submit --uv -- python future.py
contains "$err" "no Python >=9 on this machine"
expect 2 "$KML" submit --env-store pvc/x -- true
contains "$err" "--env-store needs --uv, --requirements or --conda"
# uv's configuration in the folder is ignored, and no build backend runs here.
printf '[[index]]\nurl = "http://127.0.0.1:1"\n' >uv.toml
mkdir source && printf 'import pathlib; pathlib.Path("%s").touch()\n' "$work/ran" >source/setup.py
printf '[build-system]\nrequires = []\nbuild-backend = "setup"\nbackend-path = ["."]\n[project]\nname = "source"\ndynamic = ["version"]\ndependencies = ["tiny"]\n' >source/pyproject.toml
cp uv.toml source
(cd source && expect 0 "$KML" submit --uv --follow -- python -c "$import")
[ ! -e "$work/ran" ] || fail "the build backend ran"

# The versions stay the same until `kml env upgrade`.
printf 'other\n' >requirements.txt
version='from importlib.metadata import version; print("other", version("other"))'
expect 0 "$KML" submit --requirements requirements.txt --follow -- python -c "$version"
contains "$out" "other 1.0"
python3 "$SOURCE/tests/support/make_wheel.py" ../wheels other 2.0
expect 0 "$KML" submit --requirements requirements.txt --follow -- python -c "$version"
contains "$out" "other 1.0"
expect 0 "$KML" env upgrade
expect 0 "$KML" submit --requirements requirements.txt --follow -- python -c "$version"
contains "$out" "other 2.0"
printf 'tiny == 2.0\n' >requirements.txt

# Pods on this machine reach an index as kml does: here, by the user's proxy.
cat >proxy.py <<'P'
import http.server, pathlib, sys, zipfile
wheels = pathlib.Path(sys.argv[1])
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass
    def do_GET(self):
        host, _, name = self.path.removeprefix("http://").partition("/")
        body = b""
        if host == "packages.test" and name == "simple/tiny/":
            body = b'<a href="/f/tiny-2.0-py3-none-any.whl" data-dist-info-metadata="true" data-core-metadata="true">tiny-2.0-py3-none-any.whl</a>'
        elif host == "packages.test" and name.endswith(".metadata"):
            with zipfile.ZipFile(wheels / name[2:-9]) as wheel:
                body = wheel.read("tiny-2.0.dist-info/METADATA")
        elif host == "packages.test" and name.endswith(".whl"):
            body = (wheels / name[2:]).read_bytes()
        print(self.path, flush=True)
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html" if name.endswith("/") else "application/octet-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
pathlib.Path("proxy.port").write_text(str(server.server_port))
server.serve_forever()
P
python3 proxy.py "$work/wheels" >>proxied & proxy=$!
trap 'status=$?; kill $proxy; finish $status' EXIT
eventually test -s proxy.port
echo tiny >proxied.txt
via_proxy() { env -u UV_FIND_LINKS -u UV_OFFLINE HTTP_PROXY=http://127.0.0.1:$(cat proxy.port) UV_CACHE_DIR=$work/proxied-cache UV_DEFAULT_INDEX=http://packages.test/simple "$@"; }
expect 0 via_proxy "$KML" submit --requirements proxied.txt --dry-run -- true # finds the versions
: >proxied
expect 0 "$KML" env gc --older-than 0s
expect 0 via_proxy "$KML" submit --requirements proxied.txt --follow -- python -c "$import"
contains "$out" "tiny 2.0"
grep -q 'whl$' proxied || fail "the pod did not use the proxy: $(cat proxied)"

# On a cluster, kml says which packages have no wheel for the processor of the nodes.
cat >cluster.py <<'P'
import http.server, json, pathlib
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass
    def answer(self, code, body):
        text = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    def do_GET(self):
        if not self.path.startswith("/api/v1/nodes"):
            return self.answer(404, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404, "reason": "NotFound", "message": "not found"})
        room = {"cpu": "8", "memory": "16Gi", "pods": "110"}
        nodes = [{"metadata": {"name": name, "labels": {"kubernetes.io/arch": name}}, "spec": {}, "status": {"allocatable": room, "capacity": room}} for name in pathlib.Path("processors").read_text().split()]
        self.answer(200, {"kind": "NodeList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": nodes})
    def do_POST(self):
        self.answer(201, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
pathlib.Path("cluster.port").write_text(str(server.server_port))
server.serve_forever()
P
python3 cluster.py & cluster=$!
trap 'status=$?; kill $proxy $cluster; finish $status' EXIT
eventually test -s cluster.port
kubeconfig_of_cluster
sed -i "s,https://127.0.0.1:1,http://127.0.0.1:$(cat cluster.port)," kubeconfig
TAG=cp310-abi3-manylinux_2_17_x86_64 python3 "$SOURCE/tests/support/make_wheel.py" ../wheels fast 1.0
printf 'fast\ntiny\n' >fast.txt
while IFS='|' read -r processors flags said; do
  echo "$processors" >processors
  expect 0 env KUBECONFIG=kubeconfig "$KML" submit --requirements fast.txt --image python:3 $flags --no-check --dry-run=server -- true
  if [ -n "$said" ]; then contains "$err" "$said"; else [[ "$err" != *"must build"* ]] || fail "$err"; fi
done <<'T'
amd64||
arm64||on arm64 nodes, a pod must build a package of fast.txt: Because fast==1.0 has no wheels
amd64 arm64||--node-selector kubernetes.io/arch=amd64
amd64 arm64|--node-selector kubernetes.io/arch=amd64|
amd64|--image python:3-alpine|musllinux
s390x||
T

# `kml env list` shows which environments are in use, and `kml env gc` deletes the others.
expect 0 "$KML" submit --requirements requirements.txt --name holds -- sh -c 'touch running; exec sleep 10000'
eventually test -e running
expect 0 "$KML" env gc --older-than 0s
expect 0 "$KML" env list
[ "$(grep -c 'in use' <<<"$out")" = 1 ] && [ "$(wc -l <<<"$out")" = 2 ] || fail "$out"
expect 0 "$KML" delete holds
empty() { "$KML" env gc --older-than 0s && [ -z "$(ls "$environments")" ]; }
eventually empty
expect 0 "$KML" submit --requirements requirements.txt --follow -- python -c "$import"
contains "$out" "tiny 2.0"
