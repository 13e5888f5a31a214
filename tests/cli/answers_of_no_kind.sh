# Commands do not crash if a server returns a Job without a kind, with another kind, or in a list.
. "$(dirname "$0")/lib.sh"
cat >server.py <<'P'
import json, os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests/support")
import hostile_server as hostile
whole, kind = hostile.Server.answer, {"missing": {}, "wrong": {"kind": 7, "apiVersion": []}, "other": {"kind": "Elsewhere", "apiVersion": "v7"}}
def answer(self, code, value, *rest):
    how = open("how").read()
    if code < 300 and isinstance(value, dict) and value["kind"] == "Job":
        value = [value] if how == "list" else {key: part for key, part in value.items() if key not in ("kind", "apiVersion")} | kind[how]
    whole(self, code, value, *rest)
hostile.Server.answer = answer
exec(open(hostile.__file__).read().split('if __name__ == "__main__":')[1].replace("\n    ", "\n"), vars(hostile))
P
export SOURCE
echo missing >how
python3 server.py "$work/kubeconfig" &
server=$!
trap 'status=$?; kill $server; finish $status' EXIT
eventually test -e "$work/kubeconfig"
export KUBECONFIG=$work/kubeconfig
for how in missing wrong other list; do
  printf %s $how >how
  for command in "wait evil --timeout 1s" "status evil" "why evil" "logs evil" "cancel evil" "suspend evil" "submit --image i --name evil -- true" \
    "submit --image i --name evil --wait --timeout 1s -- true" "history evil"; do
    got=0
    timeout 1000 "$KML" $command >/dev/null 2>"$work/err" || got=$?
    [ $got -lt 6 ] || fail "exit $got: $command, where the kind is $how: $(cat "$work/err")"
    ! grep -q 'type_error\|json.exception' "$work/err" || fail "$command, where the kind is $how: $(cat "$work/err")"
  done
done
