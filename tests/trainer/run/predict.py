"""A checkpoint tells the class of pictures: --predict prints it, --serve answers it over HTTP."""

import http.client
import json
import re
import resource
import signal
import socket
import struct
import subprocess
import tempfile

from support import DEADLINE, MNIST, check, command, env, trainer

images = (MNIST / "t10k-images-idx3-ubyte").read_bytes()[16:]
labels = (MNIST / "t10k-labels-idx1-ubyte").read_bytes()[8:]
pictures = [images[784 * i:784 * (i + 1)] for i in range(20)]


def pgm(pixels):
    return b"P5\n# a comment\n28 28\n255\n" + pixels


def right_answers(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)  # one connection for all
    connection.request("GET", "/")
    check(connection.getresponse().read().startswith(b"ready"), "it is not ready")
    right = 0
    for i, picture in enumerate(pictures):
        connection.request("POST", "/", body=pgm(picture) if i % 2 else picture)
        answer = json.loads(connection.getresponse().read())
        check(abs(sum(answer["probabilities"]) - 1) < 0.01, f"probabilities {answer}")
        check(answer["probabilities"][answer["class"]] == answer["probability"], f"the class of {answer}")
        right += answer["class"] == labels[i]
    connection.request("POST", "/", body=b"P5\n2 2\n255\n1234")
    refusal = connection.getresponse()
    check(refusal.status == 400 and b"2 x 2 pixels" in refusal.read(), "a small picture was taken")
    connection.request("DELETE", "/")
    check(connection.getresponse().status == 405, "DELETE was taken")
    return right


def answers(address, port):
    try:
        socket.create_connection((address, port), timeout=DEADLINE).close()
        return True
    except ConnectionRefusedError:
        return False


def keep_out(port):
    """300 clients send half a request each: more than the server keeps. It still answers others at once, and ends those that
    stay."""
    half = [socket.create_connection(("127.0.0.1", port), timeout=DEADLINE) for _ in range(300)]
    for client in half:
        client.sendall(b"POST / HTTP/1.1\r\nContent-Le")
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
    connection.request("GET", "/")
    check(connection.getresponse().status == 200, "it is kept from others")
    for client in half:
        try:
            check(client.recv(1) == b"", "half a request was answered")
        except ConnectionResetError:
            pass


with tempfile.TemporaryDirectory() as folder:
    for model in ("mlp", "cnn"):
        checkpoints = f"{folder}/{model}"
        steps = ("--max_steps", 60) if model == "mlp" else ("--max_steps", 20, "--hidden", 16)
        trainer(*steps, "--model", model, "--threads", 1, "--checkpoint-dir", checkpoints)
        with open(f"{folder}/picture.pgm", "wb") as file:
            file.write(pgm(pictures[0]))
        answer = json.loads(trainer("--checkpoint-dir", checkpoints, "--predict", f"{folder}/picture.pgm").stdout)
        check(len(answer["probabilities"]) == 10, f"the answer {answer}")

        files = 40 if model == "mlp" else 1024  # fewer than the clients that it keeps
        server = subprocess.Popen(command("--checkpoint-dir", checkpoints, "--serve", 0), env=env, stderr=subprocess.PIPE, text=True,
                                  preexec_fn=lambda limit=files: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
        try:
            line = server.stderr.readline()
            port = int(re.search(r"serving at port (\d+)", line)[1])
            check(not answers("127.0.0.2", port), "it listens at more than one address")
            keep_out(port)
            right = right_answers(port)
            check(right >= (15 if model == "mlp" else 10), f"{model}: only {right} of 20 answers are right")
            server.send_signal(signal.SIGTERM)
            check(server.wait(DEADLINE) == 0, "it does not stop")
        finally:
            server.kill()

    done = trainer("--predict", f"{folder}/picture.pgm", expect=2)
    check("need --checkpoint-dir" in done.stderr, done.stderr)
    done = trainer("--checkpoint-dir", folder, "--serve", 0, expect=1)
    check("cannot read a checkpoint" in done.stderr, done.stderr)
    with open(f"{folder}/mlp/LATEST") as name:
        newest = f"{folder}/mlp/{name.read().strip()}"
    with open(newest, "r+b") as file:
        file.write(struct.pack("<Q", 1 << 60))
    done = trainer("--checkpoint-dir", f"{folder}/mlp", "--predict", f"{folder}/picture.pgm", expect=1)
    check("cannot read a checkpoint" in done.stderr, done.stderr)
