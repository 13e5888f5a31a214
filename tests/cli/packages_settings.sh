# Settings of a pyproject.toml or a script's header that say which versions uv chooses, and which lists it installs: kml follows
# them as `uv run` does, or says that it ignores them.
get=$(dirname "$0")/../support/get_uv
uv=$(bash "$get") || { echo "SKIPPED: uv cannot be installed"; exit 77; }
. "$(dirname "$0")/lib.sh"
export PATH=$uv:$PATH UV_FIND_LINKS=$work/wheels UV_OFFLINE=1
mkdir wheels project
for wheel in 'tiny 1.0' 'tiny 2.0' 'tiny 3.0rc1' 'other 1.0 tiny>=1' 'more 1.0'; do
  python3 "$SOURCE/tests/support/make_wheel.py" wheels $wheel
done
pinned() { # the packages in the lock of the newest submit
  local newest
  newest=$(ls -t "$XDG_STATE_HOME"/kml/locks/of-* | head -1)
  grep -o '^[a-z]*==[0-9a-z.]*' "$XDG_STATE_HOME/kml/locks/$(cat "$newest")" | sort | tr '\n' ' '
}
cd project

# Each row: the packages, flags, and the lines of the pyproject.toml after its name and version.
while IFS='|' read -r packages flags lines; do
  printf "[project]\nname = 'my.pkg'\nversion = '0'\n$lines\n" >pyproject.toml
  rm -rf "$XDG_STATE_HOME/kml/locks"
  expect 0 "$KML" submit --uv $flags --dry-run -- true
  [ "$(pinned)" = "$packages " ] || fail "$lines: $(pinned)"
done <<'T'
tiny==2.0||dependencies = ['tiny']
tiny==1.0||dependencies = ['tiny']\n[tool.uv]\nresolution = 'lowest'
tiny==3.0rc1||dependencies = ['tiny']\n[tool.uv]\nprerelease = 'allow'
other==1.0||dependencies = ['other']\n[tool.uv]\nexclude-dependencies = ['tiny']
other==1.0 tiny==1.0||dependencies = ['other']\n[tool.uv]\nconstraint-dependencies = ['tiny<2']
more==1.0 other==1.0 tiny==2.0|--extra all|dependencies = ['tiny']\n[project.optional-dependencies]\nall = ['my-pkg[o,m]']\no = ['other']\nm = ['more']
more==1.0 tiny==2.0|--extra my-extra|dependencies = ['tiny']\n[project.optional-dependencies]\nMy_Extra = ['more']
more==1.0 tiny==2.0|--group my-group|dependencies = ['tiny']\n[dependency-groups]\nMy_Group = ['more']
more==1.0 tiny==2.0||dependencies = ['tiny']\n[dependency-groups]\ndev = ['other']\nm = ['more']\n[tool.uv]\ndefault-groups = ['dev', 'm']
T
cat >script.py <<'P'
# /// script
# dependencies = ["tiny"]
# [tool.uv]
# resolution = "lowest"
# no-binary = true
# ///
P
expect 0 "$KML" submit --uv --dry-run -- python script.py
[ "$(pinned)" = 'tiny==1.0 ' ] || fail "$(pinned)"
contains "$err" "kml ignores no-binary in [tool.uv] of script.py"

# An untrusted file does not make uv contact a server, whichever list names it. No server has port 1.
wheel=http://127.0.0.1:1/more-1.0-py3-none-any.whl
while IFS='|' read -r flags lines; do
  printf "[project]\nname = 'p'\nversion = '0'\n$lines\n" >pyproject.toml
  expect 2 "$KML" submit --uv $flags --dry-run -- true
  contains "$err" "pyproject.toml is not trusted"
done <<T
--extra all|[project.optional-dependencies]\nall = ['p[m]']\nm = ['more @ $wheel']
--group all|[dependency-groups]\nall = [{include-group = 'my-m'}]\nMy_M = ['more @ $wheel']
T

# A file that lists no packages is an error, and not an empty environment.
printf '[tool.poetry]\nname = "p"\n[tool.poetry.dependencies]\ntiny = "1"\n' >pyproject.toml
expect 2 "$KML" submit --uv --dry-run -- true
contains "$err" "pyproject.toml has no [project] table"
contains "$err" "[tool.poetry]"

# The tag of an official Python image shows that the job cannot work.
kubeconfig_of_cluster
export KUBECONFIG=$work/project/kubeconfig
while IFS='|' read -r image wanted said; do
  printf "[project]\nname = 'p'\nversion = '0'\nrequires-python = '$wanted'\n" >pyproject.toml
  expect 0 "$KML" submit --uv --image $image --dry-run -- true
  if [ -n "$said" ]; then contains "$err" "$said"; else [[ "$err" != *"the image has Python"* ]] || fail "$err"; fi
done <<'T'
python:3.12|>=3.13|the image has Python 3.12; pyproject.toml asks for >=3.13: the job will fail without --image python:3.13
registry.example/python:3.9-slim|>=3.10,<4|the image has Python 3.9; pyproject.toml asks for >=3.10,<4
python:3.12|>=3.9|
python:3.12.1|>=3.12|
python:3|>=3.13|
trainer:1|>=3.13|
T
