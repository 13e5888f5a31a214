# If a reader follows a log so slowly that rotation removes a part of it, kml says where lines are missing.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" local up --log-limit 1Mi
pad=$(printf %0100d 0)
# The job prints 46 MB, more than the pipe, the sockets and the server's open files hold for a reader.
expect 0 "$KML" submit --name talker -- awk -v pad="$pad" -v go="$work/go" 'BEGIN {
  print 1, pad; fflush()
  while (system("test -e " go)) system("sleep 0.02")
  for (i = 2; i <= 400000; i++) print i, pad }'
"$KML" logs -f talker 2>err | {
  read -r first
  echo "$first"
  touch go
  "$KML" wait talker >&2
  cat
} >followed
jumps=$(awk '$1 != last + 1 { jumps++ } { last = $1 } END { print jumps + 0 }' followed)
[ "$jumps" -gt 0 ] || fail "nothing was removed before it was read"
[ "$(tail -n 1 followed | cut -d' ' -f1)" = 400000 ] || fail "it ends at $(tail -n 1 followed)"
[ "$(grep -c "lines after .* are missing: [0-9]* bytes were removed before they were read" err)" = "$jumps" ] ||
  fail "$jumps jumps: $(cat err)"
# Other clients, such as kubectl, get the note as a line of the log; kml prints it only on standard error.
! grep -q missing followed || fail "$(grep missing followed)"
