# examples/day runs unchanged, and recorded-day.txt shows its commands.
. "$(dirname "$0")/lib.sh"
export PATH=$(dirname "$KML"):$PATH
expect 0 "$SOURCE/examples/day"
commands() { grep '^\$ ' "$1"; }
diff <(commands "$work/out") <(commands "$SOURCE/examples/recorded-day.txt") || fail "record it again: examples/day >examples/recorded-day.txt"
# On a busy machine, the second job may have ended before `kml why` asks.
for line in 'job first succeeded' 'job third' 'task 3 (pod' 'all 6 trials are done' \
  'job long cancelled' 'Failed: task 3 failed'; do
  contains "$out" "$line"
done
