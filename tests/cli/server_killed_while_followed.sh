# The embedded server is killed while commands follow a job: they start it again, and see the job's end.
. "$(dirname "$0")/lib.sh"
server() { cat "$XDG_STATE_HOME/kml/local/server.pid"; }
follow() { # WORDS...: follows the job that `go` ends
  rm -f go up
  expect 0 "$KML" submit --name job --replace -- sh -c "echo first; touch $work/up; until [ -e $work/go ]; do sleep 0.1; done; echo last"
  eventually test -e up
  "$KML" "$@" >followed.out 2>followed.err &
  follower=$!
  eventually watched
  kill -9 "$(server)"
  eventually grep -q "started it again" followed.err
  touch go
  wait $follower || fail "kml $*: exit $?: $(cat followed.err)"
}
# Each follower has an open connection to the server.
watched() { ls -l /proc/$follower/fd 2>/dev/null | grep -q socket; }
follow wait job
contains "$(cat followed.err)" "job job succeeded"
follow logs -f job
[ "$(cat followed.out)" = $'first\nlast' ] || fail "$(cat followed.out)"
follow status -w job
contains "$(cat followed.out)" Succeeded
