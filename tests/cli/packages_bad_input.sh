# Lists of packages that kml cannot use: the message says what is wrong with which requirement or file, before anything is
# submitted. Also accepts ages such as 0, 30s and 1h30m.
get=$(dirname "$0")/../support/get_uv
uv=$(bash "$get") || { echo "SKIPPED: uv cannot be installed"; exit 77; }
. "$(dirname "$0")/lib.sh"
export PATH=$uv:$PATH UV_FIND_LINKS=$work/wheels UV_OFFLINE=1
mkdir wheels project
python3 "$SOURCE/tests/support/make_wheel.py" wheels tiny 1.0
cd project

# Each row: a part of the message, and the requirement. Each requirement is tried in each place that can name packages.
while IFS='|' read -r said requirement; do
  echo "$requirement" >r.txt
  printf '# /// script\n# dependencies = [%s]\n# ///\n' "'''$requirement'''" >script.py
  printf '[project]\nname = "p"\nversion = "0"\ndependencies = [%s]\n' "'''$requirement'''" >plain.toml
  printf '[project]\nname = "p"\nversion = "0"\n[project.optional-dependencies]\nx = [%s]\n' "'''$requirement'''" >extra.toml
  printf '[project]\nname = "p"\nversion = "0"\n[dependency-groups]\nx = [%s]\n' "'''$requirement'''" >group.toml
  while read -r file flags; do
    expect 2 "$KML" submit $flags -- python script.py
    contains "$err" "$file has an invalid requirement"
    contains "$err" "why: $said"
    [[ "$err" != *"Building source"* && "$err" != *requirements.in* ]] || fail "$file: $err"
  done <<F
r.txt --requirements r.txt
script.py --uv
plain.toml --requirements plain.toml
extra.toml --requirements extra.toml --extra x
group.toml --requirements group.toml --group x
F
done <<'T'
Unexpected end of version specifier, expected version|six>=
no such comparison operator|six=1.0
Expected one of|si x
Missing closing bracket|six[
expected version to start with a number|six>=abc
Expected a quoted string or a valid marker name|six; python_versio < "3"
The ~= operator requires at least two segments|six~=1
T
rm -f script.py

# Each row: the reason, the fix, and flags that name a folder or a broken link instead of a file.
mkdir dir.txt
ln -s nowhere broken.txt
while IFS='|' read -r why fix flags; do
  expect 2 "$KML" submit $flags -- true
  contains "$err" "why: $why"
  contains "$err" "$fix"
  [[ "$err" != *"did you mean"* && "$err" != *"does not contain"* ]] || fail "$flags: $err"
done <<'T'
it is a folder|name a file in it|--requirements dir.txt
it is a folder|name a file in it|--conda dir.txt
it does not exist|broken.txt is a link to nowhere, which does not exist|--requirements broken.txt
it does not exist|broken.txt is a link to nowhere, which does not exist|--conda broken.txt
it does not exist|broken.txt is a link to nowhere, which does not exist|--code broken.txt
it does not exist|broken.txt is a link to nowhere, which does not exist|--chdir broken.txt
T
for command in "template check ./broken.txt" "sweep run -f broken.txt" "trust broken.txt"; do
  expect 1 "$KML" $command
  contains "$err" "broken.txt is a link to nowhere, which does not exist"
done

for flags in "env gc --older-than 0" "env gc --older-than 30s" "gc --keep 1h30m --dry-run"; do
  expect 0 "$KML" $flags
done
