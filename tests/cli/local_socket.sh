# kml itself speaks to its server by a socket without TLS: only this user may open it, and the token counts there too.
. "$(dirname "$0")/lib.sh"
export KML_STATE_DIR=$work/state
"$KML" local up >/dev/null 2>&1
socket=$KML_STATE_DIR/local/server.sock
[ "$(stat -c '%a %F' "$socket")" = "600 socket" ] || fail "others may use the socket"
[ "$(stat -c %a "$KML_STATE_DIR/local")" = 700 ] || fail "others may enter the folder"
status_of() { curl -s --unix-socket "$socket" -o answer -w '%{http_code}' "$@" http://localhost/api/v1/pods; }
[ "$(status_of)" = 401 ] || fail "no token was asked for"
[ "$(status_of -H 'Authorization: Bearer wrong')" = 401 ] || fail "another token was taken"

# It is the way that kml takes; without it, the other one is left.
kubeconfig=$KML_STATE_DIR/local/kubeconfig
sed -i.kept 's|https://127.0.0.1:.*|https://127.0.0.1:1|' "$kubeconfig"
expect 0 "$KML" list
rm "$socket"
expect 5 "$KML" list
mv "$kubeconfig.kept" "$kubeconfig"
expect 0 "$KML" list
