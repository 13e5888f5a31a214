# A real kubectl runs commands in pods of the embedded server: exit codes, streams, terminals, and how they end.
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cli/local_server.sh"
kubectl create -f - >/dev/null <<YAML
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - {name: main, image: x, command: [sleep, "100000"], env: [{name: GREETING, value: hi}], workingDir: /usr}
YAML
expect 0 kubectl wait --for=condition=Ready pod/web --timeout=1000s
for code in 0 1 137 255; do expect $code kubectl exec web -- sh -c "exit $code"; done
contains "$err" "command terminated with exit code 255"
expect 0 kubectl exec web -- sh -c 'echo $GREETING from $PWD; echo to stderr >&2'
[ "$out" = "hi from /usr" ] && [ "$err" = "to stderr" ] || fail "out: $out, err: $err"
expect 1 kubectl exec web -- no-such-program
contains "$err" '"no-such-program": executable file not found in $PATH'
expect 1 kubectl exec web -c other -- true
contains "$err" "container other is not valid for pod web"
expect 1 kubectl exec gone -- true
contains "$err" 'pods "gone" not found'

# stdin ends when the client's stdin ends. Everything that was written before arrives.
[ "$(echo -n a | kubectl exec -i web -- cat)" = a ] || fail "cat gave something else"
[ "$(kubectl exec web -- seq 1 2000000 | cksum)" = "$(seq 1 2000000 | cksum)" ] || fail "output is not whole"
head -c 20000000 /dev/urandom >big
kubectl exec -i web -- cat <big >back
cmp big back || fail "what came back is not what was sent"
# A slow reader gets everything, and the server's memory does not grow meanwhile.
before=$(sed -n 's/VmHWM:\s*\([0-9]*\).*/\1/p' /proc/$server/status)
kubectl exec web -- head -c 50000000 /dev/zero | { sleep 1; wc -c; } >size
[ "$(cat size)" = 50000000 ] || fail "$(cat size) bytes"
after=$(sed -n 's/VmHWM:\s*\([0-9]*\).*/\1/p' /proc/$server/status)
[ $((after - before)) -lt 20000 ] || fail "the server took $((after - before)) kB more"

# A terminal has the client's size, follows its changes, and belongs to the command.
cat >terminal.py <<'PY'
import fcntl, os, pty, signal, struct, sys, termios
pid, fd = pty.fork()
if pid == 0: os.execvp("kubectl", ["kubectl", "exec", "-it", "web", "--", "sh", "-c", sys.argv[1]])
def size(rows, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.kill(pid, signal.SIGWINCH)
seen = b""
def wait_for(text):
    global seen
    while text not in seen: seen += os.read(fd, 1000)
size(33, 91)
wait_for(b"ready")
os.write(fd, b"look\n")
wait_for(b"33 91")
size(20, 70)
wait_for(b"20 70")
os.write(fd, b"\x03")
wait_for(b"interrupted")
try:
    while more := os.read(fd, 1000): seen += more
except OSError: pass
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
expect 0 timeout 1000 python3 terminal.py 'trap "echo interrupted; exit 7" INT; echo ready $TERM; read line
  until [ "$(stty size)" = "33 91" ]; do sleep 0.05; done; stty size
  until [ "$(stty size)" = "20 70" ]; do sleep 0.05; done; stty size; while :; do sleep 0.05; done'
[ "$out" = 7 ] || fail "kubectl exec -t: $out $err"

# Files can be copied in both directions.
mkdir -p folder/deep
echo one >folder/deep/file
expect 0 kubectl cp folder "web:$work/there"
cmp folder/deep/file there/deep/file
expect 0 kubectl cp "web:$work/there/deep/file" fetched
cmp folder/deep/file fetched

# When a client is killed, its command is killed, too.
kubectl exec web -- sh -c "echo started; exec sleep 54321" >started & client=$!
eventually grep -q started started
eventually pgrep -f "sleep 54321"
kill -9 $client
wait $client || true
eventually sh -c '! pgrep -f "sleep 5432[1]"'

# The command is also killed if the connection ends within a TLS record. In this case, the server gets the
# data and the end at once.
cat >cut.py <<'PY'
import os, signal, socket, ssl, sys, urllib.parse
host, port = sys.argv[1].removeprefix("https://").split(":")
wire = socket.create_connection((host, int(port)))
received, to_send = ssl.MemoryBIO(), ssl.MemoryBIO()
tls = ssl.create_default_context(cafile="ca.pem").wrap_bio(received, to_send, server_hostname=host)
def until(step):
    while True:
        try:
            result = step()
        except ssl.SSLWantReadError:
            result = None
        wire.sendall(to_send.read())
        if result is not None: return result
        received.write(wire.recv(1 << 16))
until(lambda: tls.do_handshake() or True)
words = [("command", word) for word in ("sh", "-c", "echo started; exec cat - /dev/null/54322")]
query = urllib.parse.urlencode(words + [("stdin", "true"), ("stdout", "true")])
tls.write(f"GET /api/v1/namespaces/default/pods/web/exec?{query} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {sys.argv[2]}\r\n"
          "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
          "Sec-WebSocket-Protocol: v5.channel.k8s.io\r\n\r\n".encode())
seen = b""
while b"started" not in seen: seen += until(lambda: tls.read(1 << 16))
tls.write(bytes([0x82, 0x84, 0, 0, 0, 0, 0]) + b"abc")  # a binary message, masked with zeros: channel 0, "abc"
os.kill(int(sys.argv[3]), signal.SIGSTOP)
wire.sendall(to_send.read()[:-1])
wire.close()
os.kill(int(sys.argv[3]), signal.SIGCONT)
PY
expect 0 timeout 1000 python3 cut.py "$url" "$token" "$server"
eventually sh -c '! pgrep -f "54322$"'

# A pod that ends takes its commands with it, and the client is informed.
kubectl exec web -- sh -c "echo started; exec sleep 100000" >started 2>ended & client=$!
eventually grep -q started started
expect 0 kubectl delete pod web --wait=false
code=0
wait $client || code=$?
[ $code = 137 ] || fail "exit $code: $(cat ended)"

# A client that does not speak WebSocket gets an error that names the protocol.
kubectl create -f - >/dev/null <<YAML
apiVersion: v1
kind: Pod
metadata: {name: old}
spec:
  containers:
  - {name: main, image: x, command: [sleep, "100000"]}
YAML
expect 0 kubectl wait --for=condition=Ready pod/old --timeout=1000s
expect 1 env KUBECTL_REMOTE_COMMAND_WEBSOCKETS=false kubectl exec old -- true
contains "$err" "does not speak SPDY; use kubectl 1.31 or later"
