. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cli/local_server.sh"
status_of() { api -o answer -w '%{http_code}' "$@"; }
maps=$url/api/v1/namespaces/default/configmaps

# The server rejects requests without the token or with a wrong one. Other users cannot read the files with the
# token.
[ "$(curl -s --cacert ca.pem -o answer -w '%{http_code}' "$url/api")" = 401 ] || fail "no token was asked for"
[ "$(stat -c %a "$state") $(stat -c %a "$state/kubeconfig")" = "700 600" ] || fail "others may read the state"

# Tries tokens that are almost right.
asks_with() { curl -s --cacert ca.pem -o answer -w '%{http_code}' -H "Authorization: $1" "$url/api/v1/pods"; }
for wrong in "Bearer ${token%?}" "Bearer ${token}x" "Bearer " "bearer" "Basic $(printf 'x:%s' "$token" | base64 -w0)" "$token" \
  "Bearer $(printf 'x%.0s' {1..9000})" "Bearer $token, Bearer x"; do
  [[ "$(asks_with "$wrong")" = 4* ]] || fail "a wrong token was taken: ${wrong:0:80}"
  [[ "$(cat answer)" != *'"items"'* ]] || fail "a wrong token was answered: ${wrong:0:80}"
done
[ "$(asks_with "Bearer $token")" = 200 ] || fail "the right token is not taken"

# Paths that lead out of the API find nothing, however their parts are encoded.
for path in /../../../../etc/passwd /api/v1/../../../etc/passwd /api/v1/namespaces/..%2f..%2fetc/pods %2e%2e/%2e%2e/etc/passwd \
  /api/v1/namespaces/default/pods/..%2f..%2fserver.log/log /api/v1/namespaces/default/pods/%2e%2e/log "/api/v1/namespaces/default/pods/x/log?uid=../../../kubeconfig" \
  //api/v1/pods /api/v1/namespaces//pods /api//v1/pods; do
  code=$(curl -s --cacert ca.pem --path-as-is -H "Authorization: Bearer $token" -o answer -w '%{http_code}' "$url/${path#/}")
  [[ "$code" = 40[04] ]] || fail "$path: $code $(cat answer)"
done
printf '{"metadata": {"name": "../../escaped"}}' >escape.json
[ "$(status_of -H 'Content-Type: application/json' --data-binary @escape.json "$maps")" = 422 ] || fail "a name that leads out was taken"

# Another user's process cannot connect, and cannot read the files that would let it connect.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  cp ca.pem /tmp/ca-$$.pem && chmod 644 /tmp/ca-$$.pem
  as_other() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
  [ "$(as_other curl -s --cacert /tmp/ca-$$.pem -o /dev/null -w '%{http_code}' "$url/api/v1/pods")" = 401 ] || fail "another user was let in"
  rm /tmp/ca-$$.pem
  for file in "$state"/*; do
    ! as_other cat "$file" >/dev/null 2>&1 || fail "another user may read $file"
  done
  ! as_other curl -s --unix-socket "$state/server.sock" http://localhost/readyz >/dev/null || fail "another user may use the socket"
  ! as_other kill -0 "$server" 2>/dev/null || fail "another user may signal the server"
  ! as_other cat "/proc/$server/environ" >/dev/null 2>&1 || fail "another user may read the server's environment"
fi

# Sends bodies that are too large, by their announced size or by their actual size.
head -c 4000000 /dev/zero | tr '\0' ' ' >large
[ "$(status_of --data-binary @large "$maps")" = 413 ] || fail "a body of 4 MB was taken"
[ "$(status_of -H 'Transfer-Encoding: chunked' --data-binary @large "$maps")" = 413 ] || fail "a chunked body of 4 MB was taken"
[ "$(status_of --data-binary '{"metadata":' "$maps")" = 400 ] || fail "broken JSON was taken"
[ "$(status_of -X BREW "$maps")" != 200 ] || fail "an unknown method was taken"

# Input that is not TLS, not HTTP, half a request, or random bytes is dropped, and the server survives.
python3 - "${url##*:}" "$token" <<'EOF'
import os, random, socket, ssl, sys
port, token = int(sys.argv[1]), sys.argv[2]
context = ssl.create_default_context(); context.check_hostname = False; context.verify_mode = ssl.CERT_NONE
random.seed(7)
head = f"GET /api/v1/pods HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n".encode()
cases = [b"", b"\r\n" * 50, b"GET", b"GET / HTTP/9.9\r\n\r\n", b"GET /%00%zz HTTP/1.1\r\nHost: x\r\n\r\n",
         head + b"Content-Length: -1\r\n\r\n", head + b"Content-Length: 99999999999999999999\r\n\r\n",
         head + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nx", head + b"X: " + b"a" * 200000 + b"\r\n\r\n",
         head + b"X: y\r\n" * 20000 + b"\r\n", head.replace(b"/api/v1/pods", b"/api/v1/pods?" + b"a=b&" * 5000) + b"\r\n",
         head.replace(b"GET", b"POST").replace(b"pods", b"namespaces/default/configmaps") + b"Content-Length: 100000\r\n\r\n" + b"[" * 100000]
cases += [random.randbytes(random.randrange(1, 3000)) for _ in range(50)]
for i, case in enumerate(cases):
    for tls in (True, False):
        with socket.create_connection(("127.0.0.1", port), timeout=5) as plain:
            try:
                with (context.wrap_socket(plain) if tls else plain) as s:
                    s.sendall(case); s.settimeout(0.02); s.recv(100)
            except OSError:
                pass
EOF
[ "$(api "$url/readyz")" = ok ] || fail "the server is gone: $(cat server.log)"
kill -0 "$server"

# Protobuf that ends early, is too long or is invalid is rejected, never partly accepted.
python3 - "${url##*:}" "$token" <<'EOF'
import http.client, random, ssl, sys
port, token = int(sys.argv[1]), sys.argv[2]
context = ssl.create_default_context(); context.check_hostname = False; context.verify_mode = ssl.CERT_NONE
def field(number, text): return bytes([number << 3 | 2]) + (bytes([len(text)]) if len(text) < 128 else bytes([len(text) & 127 | 128, len(text) >> 7])) + text
meta = field(1, field(1, b"proto"))
map_body = meta + field(2, field(1, b"a") + field(2, b"1"))
def envelope(kind, raw): return b"k8s\0" + field(1, field(1, b"v1") + field(2, kind)) + field(2, raw)
good = envelope(b"ConfigMap", map_body)
random.seed(3)
bodies = [good[:i] for i in range(len(good))] + [envelope(b"Pod", map_body), envelope(b"ConfigMap", meta + field(9, b"x")),
          envelope(b"ConfigMap", b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), envelope(b"ConfigMap", b"\x08\x01"), b"k8s\0" + b"\xff" * 40]
bodies += [b"k8s\0" + random.randbytes(random.randrange(1, 200)) for _ in range(200)]
connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=600)
for number, body in enumerate([good] + bodies):
    connection.request("POST", "/api/v1/namespaces/default/configmaps", body,
                       {"Authorization": f"Bearer {token}", "Content-Type": "application/vnd.kubernetes.protobuf"})
    answer = connection.getresponse()
    text = answer.read()
    assert answer.status in ([201] if number == 0 else [400, 409, 415, 422]), (number, body, answer.status, text)
EOF
[ "$(api "$url/readyz")" = ok ] || fail "the server is gone: $(cat server.log)"
