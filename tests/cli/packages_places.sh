# Lists of packages that say where a package is: at a URL, in a file or in a folder. kml installs them even if the list has
# no other packages, and says before the submit what the pods cannot have.
get=$(dirname "$0")/../support/get_uv
uv=$(bash "$get") || { echo "SKIPPED: uv cannot be installed"; exit 77; }
. "$(dirname "$0")/lib.sh"
mkdir wheels project
for version in 1.0 2.0; do python3 "$SOURCE/tests/support/make_wheel.py" wheels tiny $version; done
python3 "$SOURCE/tests/support/make_wheel.py" wheels other 1.0 'tiny>=1'
cat >server.py <<'P'
import functools, http.server, os
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory="wheels")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
open("port.new", "w").write(str(server.server_port))
os.rename("port.new", "port")
server.serve_forever()
P
python3 server.py >server.log 2>&1 & server=$!
trap 'status=$?; kill $server; finish $status' EXIT
eventually test -s port
url=http://127.0.0.1:$(cat port)
export PATH=$uv:$PATH UV_FIND_LINKS=$work/wheels UV_DEFAULT_INDEX=$url/none
cd project
cp -r ../wheels .
one=tiny-1.0-py3-none-any.whl two=tiny-2.0-py3-none-any.whl
installed='import importlib.metadata as m; print(sorted("%s %s" % (d.name, d.version) for d in m.distributions()))'

# Each row: the packages that a job then has, and the lines of its list.
number=0
while IFS='|' read -r packages lines; do
  number=$((number + 1))
  printf '%b\n' "$lines" >list$number.txt
  expect 0 "$KML" trust list$number.txt
  expect 0 "$KML" submit --requirements list$number.txt --name list$number --follow --chdir / -- python -c "$installed"
  contains "$out" "[$packages]"
done <<T
'tiny 1.0'|tiny @ $url/$one
'tiny 2.0'|$url/$two
'tiny 1.0'|tiny @ $url/$one ; python_version >= "3.9"
'other 1.0', 'tiny 1.0'|tiny @ $url/$one\nother
'tiny 1.0'|./wheels/$one
'tiny 1.0'|tiny @ file://$work/wheels/$one
'other 1.0', 'tiny 2.0'|./wheels/$two\nother
'tiny 1.0'|tiny==1.0\nother; sys_platform == "win32"
'tiny 1.0'|tiny<2; python_version >= "3"\ntiny>=2; python_version < "3"
T
expect 0 "$KML" env list -o json
python3 -c 'import json, sys
for each in json.load(sys.stdin):
    assert each["packages"] == len(each["versions"]) > 0, each' <<<"$out"
expect 0 "$KML" history -o json
python3 -c 'import json, sys
assert all(run["packages"]["packages"] > 0 for run in json.load(sys.stdin)), "no packages"' <<<"$out"
# A comparison shows the versions of such packages, and none that Linux does not need.
expect 0 "$KML" runs compare list1 list2
[[ "$out" =~ package\ tiny\ +1\.0\ +2\.0 ]] || fail "$out"
expect 0 "$KML" runs compare list2 list8
[[ "$out" != *other* ]] || fail "$out"

# kml rejects what it cannot install. Each row: the message, its fix, and the lines.
mkdir -p pk/src && printf '[project]\nname = "pk"\nversion = "0"\ndependencies = ["other"]\n' >pk/pyproject.toml
kubeconfig_of_cluster
while IFS='|' read -r flags said fix lines; do
  printf '%b\n' "$lines" >bad.txt
  expect 0 "$KML" trust bad.txt
  KUBECONFIG=kubeconfig expect 2 "$KML" submit $flags --requirements bad.txt --dry-run -- true
  contains "$err" "bad.txt takes $said"
  contains "$err" "fix: $fix"
done <<T
--context local|a package from the folder $work/project/pk|leave it out, list the packages that it needs, and let Python find its modules: --env PYTHONPATH=pk/src|./pk
--context local|a package from the folder $work/project/pk|leave it out|-e ./pk\nother
--image python:3|tiny from a file on this machine|take tiny from an index, or from the URL of a wheel|./wheels/$one
--image python:3|tiny from a file on this machine|take tiny from an index|tiny @ file://$work/wheels/$one\nother
T
