# `kml hang` with the real py-spy: stacks of all threads, deadlocks between threads and between processes, a silent
# loop.
py_spy=${XDG_CACHE_HOME:-$HOME/.cache}/kml-tests/py-spy-0.4.1
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/local_server.sh"
if [ ! -e "$py_spy/complete" ]; then
  mkdir -p "$(dirname "$py_spy")"
  exec 9>"$py_spy.lock"
  flock 9
  [ -e "$py_spy/complete" ] ||
    { python3 -m venv "$py_spy" && "$py_spy/bin/pip" install -q py-spy==0.4.1 && touch "$py_spy/complete"; } >pip.log 2>&1 ||
    { echo "SKIPPED: py-spy cannot be installed: $(tail -n 3 pip.log)"; finish 77; }
fi
programs=$SOURCE/tests/support/hangs
start() { expect 0 "$KML" submit --image none --name "$1" --cpu 10m --no-check -- python3 -u "$programs/$1.py" "$work"; }
hang() { "$KML" hang "$1" --for 2s --py-spy "$py_spy/bin/py-spy" "${@:2}"; }
# says NAME VERDICT TEXT: checks kml's answer.
says() {
  local said
  said=$(hang "$1") && [[ "$said" == "$2 "* && "$said" == *"$3"* ]] && return
  echo "$said"
  false
}

start loop # first, as its silence takes a while
start threads
start attribute
start itself
start join
start processes
start files
start healthy
eventually says threads STUCK 'thread "first" waits for lock_b at first threads.py:12, held by thread "second"'
expect 0 hang threads
contains "$out" 'thread "second" waits for lock_a at second threads.py:19, held by thread "first"'
contains "$out" "cause:  deadlock on rank 0   (stack + processes; high confidence)"
# kml shows the main thread first, then the other busy threads, and how many threads are idle.
grep -A 3 ' rank 0 ' <<<"$out" >shown
[[ "$(sed -n 2p shown)" == "    main thread: "* ]] || fail "the main thread is not the first: $out"
contains "$out" "second: second (threads.py:19)"
contains "$out" "and 3 idle threads"
expect 0 hang threads -o json
python3 -c '
import json, sys
answer = json.load(sys.stdin)
threads = answer["ranks"][0]["stacks"][0]["threads"]
assert answer["cause"] == "deadlock", answer
assert [thread["main"] for thread in threads] == [True] + 5 * [False], threads
assert {"first", "second"} < {thread["name"] for thread in threads} and all(thread["frames"] for thread in threads), threads
assert "secret" not in json.dumps(answer), "it shows values of variables"
' <<<"$out"
eventually says attribute STUCK 'held by thread "second"'
eventually says itself STUCK 'itself.py:14, which it holds itself'
eventually says join STUCK 'thread "loader" waits for lock at work join.py:7, held by main thread'
eventually says processes STUCK 'waits for second at work processes.py:9, held by main thread of process '
eventually says files STUCK 'waits for the lock of '
expect 0 hang healthy
[[ "$out" != *deadlock* ]] || fail "there is no deadlock: $out"
is_silent() { # on a busy machine, a program may get no processor between two looks
  out=$(hang loop)
  [[ "$out" =~ ^"QUIET ".*"no output for "[0-9a-z]+", always in train() at loop.py:" ]] && return
  echo "$out"
  false
}
eventually is_silent
