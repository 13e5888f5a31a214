. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cli/local_server.sh"
status_of() { api -o answer -w '%{http_code}' "$@"; }
maps=$url/api/v1/namespaces/default/configmaps

# Without the token nothing is told, not even what exists; the files that hold it are closed to others.
[ "$(curl -s --cacert ca.pem -o answer -w '%{http_code}' "$url/api")" = 401 ] || fail "no token was asked for"
[ "$(stat -c %a "$state") $(stat -c %a "$state/kubeconfig")" = "700 600" ] || fail "others may read the state"

# Too large, by its announced size and by what comes.
head -c 4000000 /dev/zero | tr '\0' ' ' >large
[ "$(status_of --data-binary @large "$maps")" = 413 ] || fail "a body of 4 MB was taken"
[ "$(status_of -H 'Transfer-Encoding: chunked' --data-binary @large "$maps")" = 413 ] || fail "a chunked body of 4 MB was taken"
[ "$(status_of --data-binary '{"metadata":' "$maps")" = 400 ] || fail "broken JSON was taken"
[ "$(status_of -X BREW "$maps")" != 200 ] || fail "an unknown method was taken"

# What is no TLS, no HTTP, half a request, random bytes: dropped, and the server lives.
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
