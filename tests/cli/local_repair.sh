# Errors about damaged files of the embedded server say what to do, and `kml local repair` keeps all that can be read.
. "$(dirname "$0")/lib.sh"
export KML_STATE_DIR=$work/state
state=$KML_STATE_DIR/local
for i in 1 2 3; do expect 0 "$KML" submit --name "job$i" --env "PAD=$(printf %020000d 0)" -- true; done
expect 0 "$KML" wait job1 job2 job3
expect 0 "$KML" local check
contains "$out" "in use by the running server"
expect 1 "$KML" local repair
contains "$err" "fix: kml local down"
expect 0 "$KML" local down
expect 0 "$KML" local check
[[ "$out" != *"no  "* ]] || fail "damaged: $out"
expect 0 "$KML" local repair
contains "$err" "no damage found"

# Tests an empty identity file, as after a power failure.
: >"$state/identity.json"
expect 1 "$KML" list
contains "$err" "the file is empty"
contains "$err" "kml local repair"
expect 1 "$KML" local check
contains "$out" "identity.json: the file is empty"
expect 0 "$KML" local repair
contains "$out" "identity.json.damaged-"
expect 0 "$KML" list
contains "$out" job3
# Each damaged file is kept, even if two are repaired within a second.
expect 0 "$KML" local down
for i in 1 2 3; do
  echo "damage $i" >"$state/identity.json"
  expect 0 "$KML" local repair
done
for i in 1 2 3; do grep -q "damage $i" "$state"/identity.json.damaged-* || fail "damaged file $i is gone"; done

# Overwrites a page in the middle of the store: the objects on other pages are recovered.
expect 0 "$KML" local down
python3 - "$state/store.db" <<'END'
import sys
with open(sys.argv[1], "r+b") as file:
    data = file.read()
    at = data.find(b"job2") // 4096 * 4096
    file.seek(at)
    file.write(b"\xff" * 4096)
END
expect 1 "$KML" local check
contains "$out" "store.db"
expect 0 "$KML" local repair
contains "$out" "objects were readable"
ls "$state"/store.db.damaged-* >/dev/null || fail "the damaged store is gone"
expect 0 "$KML" list
contains "$out" job3
expect 0 "$KML" submit --name after --wait -- true
expect 0 "$KML" local down
expect 0 "$KML" local check

# Replaces the file by one that is not a database; the pods' logs are kept.
expect 0 "$KML" submit --name speaks --wait -- echo words
expect 0 "$KML" local down
rm -f "$state"/store.db-wal
head -c 20000 /dev/zero | tr '\0' x >"$state/store.db"
expect 1 "$KML" list
contains "$err" "fix: run \`kml local repair\`"
expect 0 "$KML" local repair
grep -rq words "$state"/pods.damaged-*/ || fail "the log is gone"
expect 0 "$KML" list

# A missing store, and a folder or a loop of links in place of the store or of the identity, are reported and can be
# repaired.
expect 0 "$KML" submit --name last --wait -- true
expect 0 "$KML" local down
cp -a "$state" "$work/whole"
while read -r file harm; do
  rm -rf "$state"
  cp -a "$work/whole" "$state"
  rm -rf "${state:?}/$file" "$state/$file-wal"
  case $harm in
    folder) mkdir "$state/$file" ;;
    loop) ln -s "$file" "$state/$file" ;;
  esac
  expect 1 "$KML" local check
  contains "$out" "$state/$file: "
  expect 1 "$KML" list
  contains "$err" "$state/$file"
  contains "$err" "kml local repair"
  expect 0 "$KML" local repair
  expect 0 "$KML" list
  expect 0 "$KML" submit --name anew --wait -- true
  expect 0 "$KML" local down
  expect 0 "$KML" local check
done <<'T'
store.db missing
store.db folder
store.db loop
identity.json folder
identity.json loop
T
