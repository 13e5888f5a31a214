"""Ranks on hosts that have only IPv6 meet by a name or an address, and end with the bytes of one process."""

import subprocess
import sys
import tempfile

from support import DEADLINE, check, command, env, newest, trainer

# Two hosts as network namespaces, connected by a cable. This script runs again in the first one.
HOSTS = """
ip link set lo up && ip -4 address flush dev lo && mount --bind "$1" /etc/hosts
unshare -n sleep infinity & other=$!
trap 'kill $other' EXIT
until [ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do kill -0 $other || exit; done
ip link add cable type veth peer name cable netns $other && ip link set cable up && ip address add fd00::1/64 dev cable nodad
inside="nsenter -t $other -n"
$inside ip link set lo up && $inside ip -4 address flush dev lo
$inside ip link set cable up && $inside ip address add fd00::2/64 dev cable nodad
[ -z "$(ip -4 -o address; $inside ip -4 -o address)" ] || exit
echo ready >&2
shift; "$@" "$other"
"""
FLAGS = ["--max_steps", 21, "--threads", 1]


def meet(other, address, folder):
    def rank(number):
        told = {"RANK": number, "WORLD_SIZE": 4, "MASTER_ADDR": address, "MASTER_PORT": 29500}
        host = ["nsenter", "-t", other, "-n"] if number % 2 else []
        return subprocess.Popen([*host, *command(*FLAGS, "--checkpoint-dir", folder)], env={**env, **{k: str(v) for k, v in told.items()}},
                                text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    ranks = [rank(number) for number in range(4)]
    said = [one.communicate(timeout=DEADLINE)[1] for one in ranks]
    check([one.returncode for one in ranks] == [0] * 4, "".join(said))
    check("rank 3 of 4 is connected to the others through " + address in said[3], said[3])
    check(newest(folder).read_bytes() == newest(sys.argv[1]).read_bytes(), f"by {address}: the weights differ")


if len(sys.argv) == 3:
    for address in ("job-master-0", "fd00::1"):
        meet(sys.argv[2], address, f"{sys.argv[1]}-{address}")
    sys.exit()
with tempfile.TemporaryDirectory() as work:
    trainer(*FLAGS, "--checkpoint-dir", f"{work}/alone")
    with open(f"{work}/hosts", "w") as hosts:
        hosts.write("::1 job-master-0\nfd00::1 job-master-0\n")  # a host's name for itself, which others cannot use
    done = subprocess.run(["unshare", "-rnm", "bash", "-c", HOSTS, "bash", hosts.name, sys.executable, "-B", __file__, f"{work}/alone"],
                          text=True, capture_output=True, timeout=DEADLINE)
    if "ready" not in done.stderr:
        print(f"no name spaces of our own here: left out ({done.stderr.strip()})")
    else:
        check(done.returncode == 0, done.stdout + done.stderr)
