# A real kubectl forwards ports to a program in a pod, over SPDY in a WebSocket; other clients use plain channels.
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cli/local_server.sh"
mkdir files
head -c 3000000 /dev/urandom >files/big
echo small >files/small
kubectl create -f - >/dev/null <<YAML
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - name: main
    image: x
    workingDir: $work/files
    command: [python3, -uc, "import http.server as h\ns = h.ThreadingHTTPServer(('127.0.0.1', 0), h.SimpleHTTPRequestHandler)\nprint('port', s.server_port)\ns.serve_forever()"]
YAML
expect 0 kubectl wait --for=condition=Ready pod/web --timeout=1000s
eventually sh -c 'kubectl logs web | grep -q port'
port=$(kubectl logs web | sed -n 's/port //p')
# A port that is bound without listening, so that no other process listens on it.
exec 7> >(exec python3 -c 'import socket, sys
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
sys.stdin.read()' >free)
eventually test -s free
free=$(cat free)
kubectl port-forward pod/web ":$port" ":$free" >forwarding 2>problems & forwarder=$!
eventually grep -q "Forwarding from 127.* -> $free" forwarding
here=$(sed -n "s/Forwarding from 127.0.0.1:\([0-9]*\) -> $port/\1/p" forwarding)
closed=$(sed -n "s/Forwarding from 127.0.0.1:\([0-9]*\) -> $free/\1/p" forwarding)
[ "$(curl -sS "http://127.0.0.1:$here/small")" = small ] || fail "no answer"
# Sends data through many connections in one WebSocket. No connection loses data.
for i in 1 2 3 4 5 6 7 8; do curl -sS -o "back$i" "http://127.0.0.1:$here/big" & curls+=($!); done
for curl in "${curls[@]}"; do wait "$curl" || fail "a transfer failed: $(cat problems)"; done
for i in 1 2 3 4 5 6 7 8; do cmp files/big "back$i"; done
# A port without a listener is named; kubectl then exits by itself.
expect 52 curl -sS "http://127.0.0.1:$closed/"
eventually grep -q "error forwarding port $free to pod web, uid .*Connection refused" problems
wait $forwarder || true

# Uses channels: each starts with the number of its port, and then has data.
cat >channels.py <<'PY'
import base64, os, socket, ssl, struct, sys
url, token, ca, port = sys.argv[1:]
host, number = url.removeprefix("https://").split(":")
context = ssl.create_default_context(cafile=ca)
s = context.wrap_socket(socket.create_connection((host, int(number)), timeout=600), server_hostname=host)
s.sendall((f"GET /api/v1/namespaces/default/pods/web/portforward?ports={port} HTTP/1.1\r\nHost: x\r\n"
           f"Authorization: Bearer {token}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n").encode())
f = s.makefile("rb")
assert f.readline().startswith(b"HTTP/1.1 101 ")
head = {}
while (line := f.readline().strip()): name, head[name.lower()] = line.split(b": ", 1)
assert head[b"sec-websocket-accept"] == b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", head
def message():
    first, length = f.read(2)
    if length == 126: length = struct.unpack(">H", f.read(2))[0]
    return first & 15, f.read(length)
def send(payload):
    mask = os.urandom(4)
    s.sendall(bytes([0x82, 0x80 | len(payload)]) + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(payload)))
expected = struct.pack("<H", int(port))
assert message() == (2, b"\0" + expected) and message() == (2, b"\1" + expected)
send(b"\0GET /small HTTP/1.0\r\n\r\n")
answer = b""
while True:
    opcode, payload = message()
    if opcode == 8: break
    assert payload[0] == 0, payload
    answer += payload[1:]
assert answer.endswith(b"small\n"), answer
PY
expect 0 timeout 1000 python3 channels.py "$url" "$token" ca.pem "$port"

# The ports of a deleted pod cannot be forwarded.
expect 0 kubectl delete pod web
expect 1 kubectl port-forward pod/web ":$port"
contains "$err" 'pods "web" not found'
