# Two thousand silent connections do not prevent kml or other clients from connecting.
. "$(dirname "$0")/lib.sh"
ulimit -Sn 1024 # limits how many connections the server accepts
. "$SOURCE/tests/cli/local_server.sh"
cat >silent.py <<'EOF'
import resource, socket, sys, time
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
idle = []
for _ in range(min(2000, hard - 50)):
    s = socket.socket()
    s.setblocking(False)  # connections that the server does not accept wait in its queue
    s.connect_ex(("127.0.0.1", int(sys.argv[1])))
    idle.append(s)
print("open", flush=True)
sys.stdin.read()
EOF
mkfifo end
python3 silent.py "${url##*:}" <end >said &
silent=$!
exec {hold}>end
eventually grep -q open said
# Without this guarantee, each of these commands would wait half a minute until the silent connections are
# closed.
for _ in 1 2 3; do [ "$(api -m 20 "$url/readyz")" = ok ] || fail "the server does not answer"; done
lists() { [[ "$(api -m 20 "$url/api/v1/namespaces")" == *kube-system* ]]; }
eventually lists # while the queue is long, a connection may be closed during its handshake, in place of a silent one
exec {hold}>&-
wait $silent
