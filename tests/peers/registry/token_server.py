"""Gives out tokens for a registry (https://distribution.github.io/distribution/spec/auth/jwt/), signed by openssl.

    token_server.py FOLDER LIFETIME     its key and certificate are FOLDER/key.pem and cert.pem; writes FOLDER/token_port

The user ana, with the password secret, may do everything; others may read.
"""

import base64
import http.server
import json
import pathlib
import ssl
import subprocess
import sys
import time
import urllib.parse
import uuid

folder, lifetime = pathlib.Path(sys.argv[1]), int(sys.argv[2])


def part(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def token_for(user, service, scopes):
    access = []
    for scope in scopes:
        kind, name, actions = scope.split(":")
        access.append({"type": kind, "name": name, "actions": actions.split(",") if user == "ana" else ["pull"]})
    der = ssl.PEM_cert_to_DER_cert((folder / "cert.pem").read_text())
    header = {"typ": "JWT", "alg": "RS256", "x5c": [base64.b64encode(der).decode()]}
    now = int(time.time())
    claims = {"iss": "test", "sub": user, "aud": service, "exp": now + lifetime, "nbf": now - 10, "iat": now, "jti": str(uuid.uuid4()), "access": access}
    signed = part(json.dumps(header).encode()) + b"." + part(json.dumps(claims).encode())
    signature = subprocess.run(["openssl", "dgst", "-sha256", "-sign", folder / "key.pem"], input=signed, capture_output=True, check=True).stdout
    return (signed + b"." + part(signature)).decode()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        given = self.headers.get("Authorization")
        if given and given != "Basic " + base64.b64encode(b"ana:secret").decode():
            return self.send_error(401)
        body = json.dumps({"token": token_for("ana" if given else "", query["service"][0], query.get("scope", [])), "expires_in": lifetime}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
(folder / "token_port").write_text(str(server.server_port))
server.serve_forever()
