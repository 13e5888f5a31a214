# Sourced after lib.sh by the cases that cut connections, which set `cuts` and `seed`.
server=$(k config view --kubeconfig "$KUBECONFIG" --minify -o 'jsonpath={.clusters[0].cluster.server}')

# through_cuts COMMAND...: runs the command with a KUBECONFIG that leads to the API server through the proxy.
through_cuts() {
  local proxy status=0
  "$SOURCE/tests/cluster/cut_proxy" "${server#https://}" "$cuts" "$seed" >proxy 2>&1 &
  proxy=$!
  eventually grep -q . proxy
  sed "s|$server|https://127.0.0.1:$(head -1 proxy)|" "$KUBECONFIG" >through
  KUBECONFIG=$work/through "$@" || status=$?
  kill $proxy
  wait $proxy
  echo "$(tail -1 proxy) seed $seed"
  return $status
}
