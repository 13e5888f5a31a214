# On this machine, replicas share the ports. If a program listens on a fixed one, kml says so, and how to change it.
. "$(dirname "$0")/lib.sh"
cat >server.py <<'P'
import socket, sys
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", int(sys.argv[1])))
listener.listen()
while True:
    listener.accept()[0].close()
P
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
expect 3 timeout 1000 "$KML" serve fixed --replicas 2 -- python3 server.py "$port"
contains "$err" "its port is already in use"
contains "$err" "fix: let the command listen on the port in its variable PORT"
is_explained() { "$KML" why fixed | grep -q "its port is already in use"; }
eventually is_explained
expect 0 timeout 1000 "$KML" serve stop fixed
expect 0 timeout 1000 "$KML" serve given --replicas 2 -- python3 server.py '$(PORT)'
