. "$(dirname "$0")/lib.sh"
# --limit selects the newest jobs, even among those submitted in the same second.
for name in d c b a; do expect 0 "$KML" submit --name $name -- sleep 1000; done
expect 0 "$KML" suspend --mine --limit 2 --dry-run
[ "$out" = $'job b would be suspended\njob a would be suspended' ] || fail "$out"
