# A command sends no unnecessary request, and no request twice.
. "$(dirname "$0")/lib.sh"
cat >server.py <<'P'
import os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests/support")
import hostile_server as hostile
hostile.EVIL = ""  # plain names
get = hostile.Server.do_GET
def do_GET(self):
    with open("asked", "a") as file:
        print(self.path, file=file)
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
