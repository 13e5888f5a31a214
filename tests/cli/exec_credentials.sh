# A credential command in the kubeconfig supplies the token. It runs once per kml command, and its output is not
# written to the folders of the user.
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cli/local_server.sh"
cat >login <<END
#!/bin/sh
echo run >>"$work/runs"
echo "log in at example.test" >&2
sed -n 's/.*token: "*\([^"]*\).*/{"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io\/v1", "status": {"token": "\1"}}/p' "$KUBECONFIG"
END
chmod 700 login
sed "s|^\( *\)token: .*|\1exec: {command: ./login, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}|" \
  "$KUBECONFIG" >config
export KUBECONFIG=$work/config
expect 0 "$KML" list -A
contains "$err" "log in at example.test"
expect 0 "$KML" submit --name hello --image none --wait -- true
[ "$(wc -l <runs)" = 2 ] || fail "the command was run $(wc -l <runs) times by two kml commands"
! grep -rsF "$token" "$HOME" "$XDG_STATE_HOME" "$XDG_CONFIG_HOME" "$XDG_CACHE_HOME" || fail "the token is on disk"

printf '#!/bin/sh\nexit 3\n' >login
expect 4 "$KML" list
contains "$err" 'cannot get credentials from the command'
mkdir -p "$HOME/.kube"
echo '{kind: Preference, credentialPluginPolicy: DenyAll}' >"$HOME/.kube/kuberc"
expect 2 "$KML" list
contains "$err" "DenyAll"
