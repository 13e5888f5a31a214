# Tests uv's lock files: kml installs what a lock lists, and rejects a lock that does not fit its project or
# script, as `uv run --locked` does, without running a build backend. Also tests workspaces, extras, groups
# and sources other than indexes.
get=$(dirname "$0")/../support/get_uv
uv=$(bash "$get") || { echo "SKIPPED: uv cannot be installed"; exit 77; }
. "$(dirname "$0")/lib.sh"
export PATH=$uv:$PATH UV_FIND_LINKS=$work/wheels UV_OFFLINE=1
mkdir wheels
for wheel in 'tiny 1.0' 'tiny 2.0' 'other 1.0'; do python3 "$SOURCE/tests/support/make_wheel.py" wheels $wheel; done
pinned() { # the packages in the lock of the newest submit
  local newest
  newest=$(ls -t "$XDG_STATE_HOME"/kml/locks/of-* | head -1)
  grep -o '^[a-z]*==[0-9.]*' "$XDG_STATE_HOME/kml/locks/$(cat "$newest")" | sort | tr '\n' ' '
}
dry() { "$KML" submit --dry-run "$@"; }

# project DEPENDENCY... : a project with a backend that must never run
mkdir backend
printf 'import pathlib\npathlib.Path("%s").touch()\nraise SystemExit("it ran")\n' "$work/ran" >backend/backend.py
project() {
  printf '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n[project]\nname = "p"\n'
  printf 'version = "0"\nrequires-python = ">=3.9"\ndependencies = ['
  [ $# = 0 ] || printf '"%s", ' "$@"
  printf ']\n'
}
mkdir p && cd p && cp ../backend/backend.py .
project 'tiny<2' >pyproject.toml
uv lock -q
expect 0 dry --uv -- true
[ "$(pinned)" = 'tiny==1.0 ' ] || fail "$(pinned)"

# kml and `uv lock --check` agree on which of these edits make the lock stale.
cp pyproject.toml fresh.toml
while IFS='|' read -r wanted edit; do
  cp fresh.toml pyproject.toml
  [ -z "$edit" ] || python3 - "$edit" <<'P'
import pathlib, sys
file = pathlib.Path("pyproject.toml")
text = file.read_text()
exec(sys.argv[1])
file.write_text(text)
P
  expect "$wanted" dry --uv -- true
  if [ "$wanted" = 2 ]; then
    contains "$err" "uv.lock is out of date"
    contains "$err" "fix: uv lock"
  fi
  [ ! -e "$work/ran" ] || fail "the backend ran: $edit"
  if [ "$edit" != "${edit#*dynamic}" ]; then continue; fi # uv would run the backend
  if uv lock --check -q 2>/dev/null; then agrees=0; else agrees=2; fi
  rm -f "$work/ran"
  [ "$agrees" = "$wanted" ] || fail "uv says $agrees: $edit"
done <<'T'
0|
2|text = text.replace("tiny<2", "tiny")
2|text = text.replace("tiny<2", "tiny>=2")
2|text = text.replace('"tiny<2", ', '')
2|text = text.replace('"tiny<2"', '"tiny<2", "other"')
2|text = text.replace('"tiny<2"', '"tiny<2", "absent"')
2|text = text.replace(">=3.9", ">=3.10")
2|text += '[project.optional-dependencies]\nx = ["other"]\n'
2|text += '[dependency-groups]\ndev = ["other"]\n'
0|text += '[tool.uv]\nconstraint-dependencies = ["other>0"]\n'
2|text += '[tool.uv]\noverride-dependencies = ["tiny<1.5"]\n'
2|text += '[tool.uv]\nexclude-newer = "2020-01-01T00:00:00Z"\n'
2|text = text.replace('version = "0"', 'dynamic = ["version"]').replace("tiny<2", "tiny")
0|text = "# a comment\n" + text
0|text = text.replace('name = "p"', 'name = "p"\ndescription = "d"')
0|text += '[tool.other]\nx = 1\n'
0|text = text.replace('dependencies = ["tiny<2", ]', 'dynamic = ["dependencies"]')
T
contains "$err" "cannot check that uv.lock is up to date: only the build backend of the project knows its dependencies"
cp fresh.toml pyproject.toml

# After `uv lock`, the lock fits again. --requirements accepts the project, too.
sed -i 's/tiny<2/tiny/' pyproject.toml
expect 2 dry --uv -- true
uv lock -q --upgrade 2>/dev/null || { sed -i '/build-system/,/backend-path/d' pyproject.toml; uv lock -q --upgrade; }
rm -f "$work/ran"
expect 0 dry --uv -- true
[ "$(pinned)" = 'tiny==2.0 ' ] || fail "$(pinned)"
expect 0 dry --requirements pyproject.toml -- true
cd ..

# Tests the lock of a script.
mkdir s && cd s
header() { printf '# /// script\n# requires-python = ">=3.9"\n# dependencies = ["%s"]\n# ///\nimport tiny\n' "$1"; }
header 'tiny' >train.py
expect 0 dry --uv -- python train.py
[ "$(pinned)" = 'tiny==2.0 ' ] || fail "$(pinned)"
header 'tiny<2' >train.py
uv lock -q --script train.py
header 'tiny' >train.py
expect 2 dry --uv -- python train.py
contains "$err" "train.py.lock is out of date"
contains "$err" "fix: uv lock --script train.py"
uv lock -q --script train.py
expect 0 dry --uv -- python train.py
[ "$(pinned)" = 'tiny==1.0 ' ] || fail "not the version in the lock: $(pinned)"
echo 'print(1)' >>train.py
expect 0 dry --uv -- python train.py

# Tests what else a user of uv may try: a script as the command, `uv run`, a pinned Python.
expect 2 dry --uv -- train.py --lr 1
contains "$err" "-- python3 train.py --lr 1"
expect 2 dry --uv -- uv run --with x train.py --lr 1
contains "$err" "fix: -- python train.py --lr 1"
echo 3.99 >.python-version
expect 1 dry --uv -- python train.py
contains "$err" "no Python 3.99 on this machine"
contains "$err" "fix: uv python install 3.99"
echo pypy >.python-version
expect 0 dry --uv -- python train.py
contains "$err" 'kml ignores .python-version: "pypy" is not a version'
rm .python-version
echo other >requirements.txt
expect 0 dry --requirements requirements.txt -- python train.py
contains "$err" "--requirements ignores the packages in the header of train.py"
cd ..

# Tests extras and groups, with a lock and without one.
mkdir x && cd x
printf '[project]\nname = "x"\nversion = "0"\nrequires-python = ">=3.9"\ndependencies = []\n[project.optional-dependencies]\ngpu = ["tiny<2"]\n[dependency-groups]\ndev = ["other"]\nall = [{include-group = "dev"}]\n' >pyproject.toml
for lock in no yes; do
  [ "$lock" = no ] || uv lock -q
  while IFS='|' read -r flags packages; do
    expect 0 dry --uv $flags -- true
    [ "$(pinned)" = "$packages" ] || fail "lock: $lock, $flags: $(pinned)"
  done <<'T'
|
--extra gpu|tiny==1.0 
--group all|other==1.0 
--extra gpu --group dev|other==1.0 tiny==1.0 
T
done
expect 2 dry --uv --extra cpu -- true
contains "$err" 'pyproject.toml has no extra "cpu"'
contains "$err" "gpu"
expect 2 dry --extra gpu -- true
contains "$err" "--extra needs --uv"
cd ..

# Tests a workspace: its members use its lock. A note says that folders are not installed.
mkdir -p w/packages/{a,b}/src w/lib && cd w
member() { printf '[project]\nname = "%s"\nversion = "0"\nrequires-python = ">=3.9"\ndependencies = [%s]\n[tool.uv.sources]\n%s\n' "$@"; }
{ member root '"a", "tiny<2", "lib"' 'a = {workspace = true}
lib = {path = "lib"}' && printf '[tool.uv.workspace]\nmembers = ["packages/*"]\n'; } >pyproject.toml
member a '"b", "other"' 'b = {workspace = true}' >packages/a/pyproject.toml
member b '"tiny"' '' >packages/b/pyproject.toml
member lib '' '' >lib/pyproject.toml
uv lock -q
expect 2 dry --uv -- true
contains "$err" "pyproject.toml is not trusted"
expect 0 "$KML" trust pyproject.toml
expect 0 dry --uv -- true
[ "$(pinned)" = 'other==1.0 tiny==1.0 ' ] || fail "$(pinned)"
contains "$err" "packages/a is not installed, because it is not from an index; --env PYTHONPATH=packages/a/src"
contains "$err" "lib is not installed"
cd packages/a
expect 0 dry --uv -- true
[ "$(pinned)" = 'other==1.0 tiny==1.0 ' ] || fail "$(pinned)"
contains "$err" "packages/b is not installed"
sed -i 's/tiny/tiny>=2/' ../b/pyproject.toml
expect 2 dry --uv -- true
contains "$err" "uv.lock is out of date"
cd ../../..

# Sources that cannot work are named.
mkdir g && cd g
echo 'tiny @ git+https://example.invalid/tiny@0123456789abcdef0123456789abcdef01234567' >requirements.txt
expect 0 "$KML" trust requirements.txt
expect 1 dry --requirements requirements.txt -- true
contains "$err" "cannot resolve the packages of requirements.txt"
printf 'version = 1\nrevision = 3\nrequires-python = ">=3.9"\n\n[[package]]\nname = "g"\nversion = "0"\nsource = { virtual = "." }\ndependencies = [\n    { name = "tiny" },\n]\n\n[package.metadata]\nrequires-dist = [{ name = "tiny", git = "https://example.invalid/tiny?rev=0123456789abcdef0123456789abcdef01234567" }]\n\n[[package]]\nname = "tiny"\nversion = "1.0"\nsource = { git = "https://example.invalid/tiny?rev=0123456789abcdef0123456789abcdef01234567#0123456789abcdef0123456789abcdef01234567" }\n' >uv.lock
printf '[project]\nname = "g"\nversion = "0"\nrequires-python = ">=3.9"\ndependencies = ["tiny"]\n[tool.uv.sources]\ntiny = {git = "https://example.invalid/tiny", rev = "0123456789abcdef0123456789abcdef01234567"}\n' >pyproject.toml
expect 0 "$KML" trust pyproject.toml
if expect 2 dry --uv -- true; then contains "$err" "takes tiny from a git repository"; fi

# A damaged lock is an error of its own: `uv lock` does not repair it.
mkdir ../damaged && cd ../damaged
printf '[project]\nname = "p"\nversion = "0"\nrequires-python = ">=3.9"\ndependencies = ["tiny"]\n' >pyproject.toml
echo 'version = ' >uv.lock
expect 2 dry --uv -- true
contains "$err" "cannot read uv.lock"
contains "$err" "fix: restore it, or delete it and run: uv lock"
[[ "$err" != *interpreter* ]] || fail "$err"
