. "$(dirname "$0")/lib.sh"
# --code sends only files in its folder, whatever links are in the folder, and whatever names are in the
# repository's index.
git() { command git -c user.name=a -c user.email=a@b -c init.defaultBranch=main -c advice.detachedHead=false "$@"; }
echo t0ps3cret >"$work/key"
echo t0ps3cret >"$HOME/key"
git init -q project
cd project
mkdir -p tracked/deep part real
echo mine | tee tracked/key tracked/deep/key real/plain >plain
ln -s real inner
git add -A
git commit -q -m first
rm -r tracked
ln -s "$work" tracked # git still lists tracked/key
mkdir -p more
ln -s "$HOME" more/deep
blob=$(git hash-object -w plain)
# An index written by hand, with names that git itself would not create.
git update-index --add --cacheinfo "100644,$blob,aaaaaa/key" --cacheinfo "100644,$blob,more/deep/key"
python3 - <<'P'
import hashlib
data = open(".git/index", "rb").read()[:-20].replace(b"aaaaaa/key", b"../././key")
open(".git/index", "wb").write(data + hashlib.sha1(data).digest())
P
git ls-files | grep -qF ../././key || fail "the index does not name ../././key"

show='find . -type f | sort; cat $(find . -type f); test -L tracked'
expect 0 "$KML" submit --context local --name one --code . --gpus 0 --follow -- sh -c "$show"
contains "$out" "./real/plain"
[[ "$out" != *t0ps3cret* && "$out" != */key* ]] || fail "it sent files that are not in the folder: $out"

# Checks the same for a repository inside the folder, and for kml sync.
cd ..
mkdir outer
mv project outer/
cd outer
git init -q .
expect 0 "$KML" submit --context local --name two --code . --gpus 0 --follow -- sh -c "cd project && $show"
contains "$out" "./real/plain"
[[ "$out" != *t0ps3cret* ]] || fail "it sent files that are not in the folder: $out"
expect 0 "$KML" submit --context local --name three --gpus 0 -- sleep 1000
mkdir "$work/there"
eventually "$KML" exec three -- true
expect 0 "$KML" sync project three:"$work/there" --once
[ "$(cat "$work/there/real/plain")" = mine ] || fail "it sent nothing"
! grep -rq t0ps3cret "$work/there" || fail "it sent files that are not in the folder"
