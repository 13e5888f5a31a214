# The commands below send no unnecessary request, and no request twice. They send a request without waiting for
# another answer, unless they need that answer.
. "$(dirname "$0")/lib.sh"
cat >server.py <<'P'
import os, re, sys, threading
sys.path.insert(0, os.environ["SOURCE"] + "/tests/support")
import hostile_server as hostile
hostile.EVIL = ""  # plain names
get = hostile.Server.do_GET
arrived = threading.Condition()
waiting = []
# Holds requests that match the pattern in the file "together" until as many of them have arrived as the file says.
def wait_for_others(path):
    try:
        count, pattern = open("together").read().split()
    except (FileNotFoundError, ValueError):
        return
    if not re.search(pattern, path):
        return
    with arrived:
        waiting.append(path)
        arrived.notify_all()
        if not arrived.wait_for(lambda: len(waiting) >= int(count), 20):
            print(path, file=open("alone", "a"))
def do_GET(self):
    with open("asked", "a") as file:
        print(self.path, file=file)
    wait_for_others(self.path)
    get(self)
hostile.Server.do_GET = do_GET
exec(open(hostile.__file__).read().split('if __name__ == "__main__":')[1].replace("\n    ", "\n"), vars(hostile))
P
export SOURCE
python3 server.py "$work/kubeconfig" &
server=$!
trap 'status=$?; kill $server; finish $status' EXIT
eventually test -e "$work/kubeconfig"
export KUBECONFIG=$work/kubeconfig
asked() { # PATTERN COMMAND...: prints how many requests of the command match
  local pattern=$1
  shift
  : >asked
  timeout 1000 "$KML" "$@" >out 2>err || fail "$*: $(cat err)"
  grep -cE "$pattern" asked || true
}
pods='/pods(\?|$)'
# Printing whole jobs takes no request for pods, unless the jobs' states are needed.
for format in json yaml jsonpath={.items}; do
  [ "$(asked "$pods" list -o "$format")" = 0 ] || fail "list -o $format asks for pods: $(cat asked)"
done
[ "$(asked "$pods" list -o json --state failed)" = 1 ] || fail "$(cat asked)"
# The last lines of a failed job come from the pods that were already read for the verdict.
[ "$(asked "$pods" why evil)" = 1 ] || fail "$(cat asked)"
[ "$(asked /log why evil)" = 1 ] || fail "$(cat asked)"
contains "$(cat out)" Traceback

# together COUNT PATTERN COMMAND...: the command sends these requests before it has the answer to any of them.
together() {
  rm -f alone
  kill "$server" && wait "$server" || true # the next one counts from the start
  echo "$1 $2" >together
  rm -f kubeconfig
  python3 server.py "$work/kubeconfig" &
  server=$!
  eventually test -e "$work/kubeconfig"
  "$KML" "${@:3}" >out 2>err </dev/null || true
  [ ! -e alone ] || fail "kml ${*:3} sends these without the others: $(cat alone)"
}
job='/(jobs|pytorchjobs)/evil$|/pods.labelSelector' kinds='/(jobs|pytorchjobs|mpijobs|trainjobs|jobsets).*limit=500$'
together 4 "$job|/events" status evil
together 3 "$job" why evil
together 3 "$job" exec evil -- true
for command in history eff timeline; do together 4 "$job|/events" "$command" evil; done
together 2 '/(jobs|pytorchjobs)/evil$' logs evil
together 5 "$kinds" dev --list
for command in usage timeline; do together 6 "$kinds|/pods" "$command"; done
together 4 "$job|/events" history evil
