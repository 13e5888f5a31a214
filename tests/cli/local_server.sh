# Sourced after lib.sh: starts an embedded server for this script, and stops it when the script ends.
state=$work/server
coproc "$KML" daemon "{\"folder\":\"$state\",\"fakeGpus\":0}" 3>&1 2>"$work/server.log"
server=$COPROC_PID
read -r -n 5 -t 300 ready <&"${COPROC[0]}" || true
[ "$ready" = ready ] || fail "the server did not start: $ready $(cat "$work/server.log")"
end_server() {
  kill "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  pkill -KILL -f "^kml shim $state/" || true # pods outlive their server
}
trap 'status=$?; end_server; finish $status' EXIT
export KUBECONFIG=$state/kubeconfig
url=$(sed -n 's/.*server: //p' "$KUBECONFIG")
token=$(sed -n 's/.*token: //p' "$KUBECONFIG" | tr -d '"')
sed -n 's/.*certificate-authority-data: //p' "$KUBECONFIG" | tr -d '"' | base64 -d >"$work/ca.pem"
api() { curl -sS --cacert "$work/ca.pem" -H "Authorization: Bearer $token" -H 'Content-Type: application/json' "$@"; }
