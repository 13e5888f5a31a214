. "$(dirname "$0")/lib.sh"
# 700,000 lines, 107 MB with timestamps: the log is rotated at 6 MiB while a client follows it. The client pauses
# for a while. No line is lost or repeated.
expect 0 "$KML" local up --log-limit 60Mi
pad=$(printf %0100d 0)
expect 0 "$KML" submit --name talker -- awk -v pad="$pad" -v go="$work/go" 'BEGIN {
  print 1, pad; fflush()
  while (system("test -e " go)) system("sleep 0.02")
  for (i = 2; i <= 700000; i++) print i, pad }'
follow() { "$KML" logs -f talker 2>/dev/null | { read -r first; echo "$first"; touch go; sleep 2; cat; }; }
follow >followed
awk '$1 != NR { print "line " NR " is " $1; exit 1 }' followed || fail "lines are lost or repeated"
[ "$(wc -l <followed)" = 700000 ] || fail "$(wc -l <followed) lines, not 700000"
files=("$XDG_STATE_HOME"/kml/local/pods/*/logs/*/0.log*)
[ ${#files[@]} = 10 ] || fail "not 9 files beside the last are kept: ${files[*]}"
for file in "${files[@]}"; do
  [ "$(stat -c %s "$file")" -le $((7 * 1024 * 1024)) ] || fail "$file is too large"
done
