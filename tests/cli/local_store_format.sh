# A damaged format number, in the store's own version or in the headers of SQLite's files, is never taken for an empty
# store: commands fail, `kml local check` says what is wrong, and `kml local repair` brings back the jobs that the files
# still have.
. "$(dirname "$0")/lib.sh"
export KML_STATE_DIR=$work/state
state=$KML_STATE_DIR/local
for i in 1 2 3; do expect 0 "$KML" submit --name "job$i" --wait -- true; done
"$KML" list -o name >before
expect 0 "$KML" local down
cp -a "$state" closed
# A killed server leaves a journal behind.
expect 0 "$KML" submit --name job4 --wait -- true
"$KML" list -o name >before_kill
pid=$(cat "$state/server.pid")
kill -9 "$pid"
gone() { ! kill -0 "$pid"; }
eventually gone
[ -s "$state/store.db-wal" ] || fail "no journal"
cp -a "$state" killed

# damage FILE AT HEX: writes the bytes; "other" changes the existing byte, whatever it is.
damage() {
  python3 - "$@" <<'END'
import sys
with open(sys.argv[1], "r+b") as file:
    file.seek(int(sys.argv[2]))
    damaged = bytes([file.read(1)[0] ^ 0xFF]) if sys.argv[3] == "other" else bytes.fromhex(sys.argv[3])
    file.seek(int(sys.argv[2]))
    file.write(damaged)
END
}
# case_of COPY JOBS FILE AT HEX: damages FILE in a copy of the state folder, and checks that the repair brings
# back JOBS.
case_of() {
  local what="$1: $3 at $4: ${5-}"
  rm -rf "$state"
  cp -a "$1" "$state"
  if [ "$4" = empty ]; then : >"$state/$3"; else damage "$state/$3" "$4" "$5"; fi
  code=0
  "$KML" list >out 2>err || code=$?
  [ $code = 1 ] || fail "$what: list: exit $code: $(cat out err)"
  contains "$(cat err)" "kml local repair"
  expect 1 "$KML" local check
  contains "$out" "store.db"
  expect 0 "$KML" local repair
  contains "$out" "objects were readable"
  expect 0 "$KML" list -o name
  [ "$out" = "$(cat "$2")" ] || fail "$what: after the repair: $out, before: $(cat "$2")"
  expect 0 "$KML" local down
  expect 0 "$KML" local check
}
# PRAGMA user_version is a four-byte number at offset 60.
for number in 00000000 00000003 00000081 01000001 80000001; do case_of closed before store.db 60 $number; done
case_of closed before store.db 19 07  # a read version
case_of closed before store.db 3 00   # the first words of the file
case_of closed before store.db 47 07  # the format of the schema
case_of killed before_kill store.db-wal 0 b7  # the journal's first number
case_of killed before_kill store.db-wal 6 ff  # its version
case_of killed before_kill store.db-wal 17 other # one of its random numbers
case_of killed before_kill store.db-wal 25 other # its checksum
echo job.batch/job4 >only_journal # what the emptied file held is lost
case_of killed only_journal store.db empty

# The tables of another format are left alone.
rm -rf "$state"
cp -a closed "$state"
python3 - "$state/store.db" <<'END'
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as store:
    store.execute("CREATE TABLE newer(value)")
    store.execute("PRAGMA user_version = 2")
END
for command in "list" "local check" "local repair"; do
  code=0
  "$KML" $command >out 2>err || code=$?
  [ $code != 0 ] || fail "$command took a store of format 2: $(cat out)"
  contains "$(cat err)" "its format is 2, but this kml uses format 1"
done
