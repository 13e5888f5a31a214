"""The server for tests/bench/serve: an HTTP server that answers with its first argument, or, for "echo", one that
sends back each byte."""

import http.server
import os
import socket
import sys
import threading

version, port = sys.argv[1], int(os.environ["PORT"])


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(version)))
        self.end_headers()
        self.wfile.write(version.encode())


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128


def echo(connection):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while data := connection.recv(4096):
        connection.sendall(data)


if version == "echo":
    with socket.create_server(("127.0.0.1", port)) as listener:
        while True:
            threading.Thread(target=echo, args=(listener.accept()[0],), daemon=True).start()
Server(("127.0.0.1", port), Handler).serve_forever()
