# On Linux before 5.3, kml is only a client: it does not start the embedded server, and says why. It can still
# run credential plugins.
. "$(dirname "$0")/lib.sh"
old=$SOURCE/tests/support/without_pidfd
expect 1 "$old" "$KML" local up
contains "$err" "the embedded server needs Linux 5.3 or later"
contains "$err" "Function not implemented"

cat >config <<'END'
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login, interactiveMode: Never}}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
current-context: c
END
cat >login <<'END'
#!/bin/sh
echo '{"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "status": {"token": "t"}}'
END
chmod +x login
KUBECONFIG=$PWD/config expect 5 timeout 1000 "$old" "$KML" list
