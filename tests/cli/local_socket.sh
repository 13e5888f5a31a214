# kml itself uses a socket without TLS to reach its server. Only this user can open it, and the token is required
# there too.
. "$(dirname "$0")/lib.sh"
export KML_STATE_DIR=$work/state
"$KML" local up >/dev/null 2>&1
socket=$KML_STATE_DIR/local/server.sock
[ "$(stat -c '%a %F' "$socket")" = "600 socket" ] || fail "others may use the socket"
[ "$(stat -c %a "$KML_STATE_DIR/local")" = 700 ] || fail "others may enter the folder"
status_of() { curl -s --unix-socket "$socket" -o answer -w '%{http_code}' "$@" http://localhost/api/v1/pods; }
[ "$(status_of)" = 401 ] || fail "no token was asked for"
[ "$(status_of -H 'Authorization: Bearer wrong')" = 401 ] || fail "another token was taken"

# kml prefers the socket. Without a socket, it uses the TLS address.
kubeconfig=$KML_STATE_DIR/local/kubeconfig
sed -i.kept 's|https://127.0.0.1:.*|https://127.0.0.1:1|' "$kubeconfig"
expect 0 "$KML" list
rm "$socket"
expect 5 "$KML" list
mv "$kubeconfig.kept" "$kubeconfig"
expect 0 "$KML" list
