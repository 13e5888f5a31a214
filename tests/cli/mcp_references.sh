# Jobs of an agent use existing Secrets, ConfigMaps and service accounts only if --secret-names has them, whether a flag,
# a template, a pipeline, a sweep, a served program or an earlier run names them.
. "$(dirname "$0")/lib.sh"
"$KML" local up >/dev/null 2>&1
export PYTHONPATH=$SOURCE/tests/support
mkdir project
cd project
cat >agent.py <<'P'
import json
import os
import pathlib
import subprocess

from mcp_client import KML, Client


def kml(*words):
    return subprocess.run([KML, *words], capture_output=True, text=True, check=True).stdout


def write(name, content):
    pathlib.Path(name).write_text(json.dumps(content))
    return name


for kind, name in (("Secret", "db"), ("ConfigMap", "settings"), ("ServiceAccount", "reader")):
    kml("submit", "-f", write(f"{name}.json", {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, **({"data": {"k": "dmFsdWUtb2YtaXQ="}} if kind != "ServiceAccount" else {})}))
count = iter(range(1000))


def template(pod=None, container=None, init=None, others=(), jobs=1):
    """A template whose pods have these fields."""
    spec = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "x", "command": ["true"], **(container or {})}], **(pod or {})}
    if init:
        spec["initContainers"] = [{"name": "first", "image": "x", "command": ["true"], **init}]
    number = next(count)
    body = [{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": f"j{number}-{i}"}, "spec": {"template": {"spec": spec}}} for i in range(jobs)] + list(others)
    pods = "spec.template" if len(body) == 1 else "[0].spec.template"
    wrapped = {"kml": "template/v1", "help": "x", "body": body if len(body) > 1 else body[0], "pods": [{"path": pods}]}
    return {"template": "./" + write(f"t{number}.yaml", wrapped), **({"name": f"j{number}"} if jobs == 1 else {})}


def volume(**source):
    return template({"volumes": [{"name": "v", **source}]})


def projected(**source):
    return volume(projected={"sources": [source]})


def run_of(**step):
    number = next(count)
    file = write(f"p{number}.yaml", {"apiVersion": "kml.dev/v1", "kind": "Pipeline", "metadata": {"name": f"p{number}"}, "spec": {"steps": {"a": {"command": ["true"], **step}}}})
    kml("trust", file)  # otherwise kml refuses already because nobody has trusted the file
    return {"kind": "run", "file": file, "name": f"p{number}"}


def env(**value_from):
    return {"env": [{"name": "X", "valueFrom": value_from}]}


KEY = {"name": "db", "key": "k"}
SWEEP = {"kind": "sweep", "name": "w", "param": ["x=1"], "minimize": ["l"]}
SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db"}}
TOKEN = {**SECRET, "metadata": {"name": "t", "annotations": {"kubernetes.io/service-account.name": "reader"}}, "type": "kubernetes.io/service-account-token"}
kml("submit", "--name", "users", "--env-from", "db", "--wait", "--", "true")
DB, SETTINGS, READER = "secret/db", "configmap/settings", "serviceaccount/reader"
ROWS = [  # what is named, how
    (DB, {"flags": ["--env-from=db"]}),
    (DB, {"mount": ["secret/db:/x"]}),
    (SETTINGS, {"mount": ["configmap/settings:/x"]}),
    (DB, template(container=env(secretKeyRef=KEY))),
    (DB, template(container={"envFrom": [{"secretRef": {"name": "db"}}]})),
    (DB, template(init=env(secretKeyRef=KEY))),
    (SETTINGS, template(container=env(configMapKeyRef={"name": "settings", "key": "k"}))),
    (SETTINGS, template(container={"envFrom": [{"configMapRef": {"name": "settings"}}]})),
    (DB, volume(secret={"secretName": "db"})),
    (SETTINGS, volume(configMap={"name": "settings"})),
    (DB, projected(secret={"name": "db"})),
    (SETTINGS, projected(configMap={"name": "settings"})),
    ("serviceaccount/token", projected(serviceAccountToken={"path": "token", "audience": "vault"})),
    (DB, volume(csi={"driver": "d", "nodePublishSecretRef": {"name": "db"}})),
    ("secretproviderclass/vault", volume(csi={"driver": "secrets-store.csi.k8s.io", "volumeAttributes": {"secretProviderClass": "vault"}})),
    (DB, volume(cephfs={"monitors": ["m"], "secretRef": {"name": "db"}})),
    (DB, volume(azureFile={"secretName": "db", "shareName": "s"})),
    (DB, template({"imagePullSecrets": [{"name": "db"}]})),
    (READER, template({"serviceAccountName": "reader"})),
    (READER, template({"serviceAccount": "reader"})),
    (READER, template(others=[TOKEN])),
    (DB, template(container=env(secretKeyRef=KEY), others=[SECRET], jobs=2)),  # the Secret would be created after the jobs
    (DB, run_of(**{"env-from": ["db"]})),
    (DB, run_of(mounts=["secret/db:/x"])),
    (DB, run_of(**{"pull-secrets": ["db"]})),
    (READER, run_of(**{"service-account": "reader"})),
    (DB, run_of(template=template(container=env(secretKeyRef=KEY))["template"])),
    (DB, run_of(template=template(container=env(secretKeyRef=KEY), others=[SECRET])["template"])),
    (DB, {**SWEEP, "flags": ["--env-from=db"], "command": ["echo", "l={x}"]}),
    ("secret/{x}", {**SWEEP, "param": ["x=db"], "template": volume(secret={"secretName": "{x}"})["template"], "command": ["echo", "l={x}"]}),
    (DB, {"kind": "serve", "name": "s", "flags": ["--env-from=db"]}),
    (DB, {"kind": "rerun", "run": "users"}),
]
FINE = [{"secret": ["X=@words.txt"]}, {"flags": ["--shm=1Gi"]}, template({"serviceAccountName": "default"}), volume(emptyDir={}), volume(configMap={"name": "kube-root-ca.crt", "optional": True}),
        template({"volumes": [{"name": "v", "secret": {"secretName": "own"}}]}, others=[{**SECRET, "metadata": {"name": "own"}}]),
        template(container={"env": [{"name": "secretName", "value": "db"}]}), {"flags": ["--label=secret=db", "--label=serviceAccountName=reader"]},
        {"code": "."}, run_of(code={"paths": ["words.txt"]}), {**SWEEP, "secret": ["X=@words.txt"], "command": ["echo", "l={x}"]}]
RIGHTS = [{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": {"name": "r"}} for kind in ("Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")]
# Objects of the whole cluster. For example, a new priority class would let a job preempt all others.
RIGHTS += [{"apiVersion": version, "kind": kind, "metadata": {"name": "r"}} for version, kind in (("scheduling.k8s.io/v1", "PriorityClass"), ("v1", "Namespace"), ("v1", "PersistentVolume"))]
# Pods that could read the files of their node.
OPEN = [template(container={"securityContext": {"privileged": True}}), template(init={"securityContext": {"privileged": True}}), template({"hostPID": True}),
        run_of(template=template(container={"securityContext": {"privileged": True}})["template"])]
pathlib.Path("words.txt").write_text("x\n")
FLAGS = ("--allow", "submit,run,sweep,serve")


def planned(client, arguments):
    program = {} if arguments.get("kind") in ("run", "rerun") or "command" in arguments else {"command": ["true"]}
    return client.tool("plan", **program, **arguments)


def refusal(answer):
    text = json.dumps(answer)
    return text if any(f"kml mcp does not {verb} " in text for verb in ("use", "create", "run")) else ""


with Client(*FLAGS) as client:
    for name, arguments in ROWS:
        answer = planned(client, arguments)
        assert answer.get("isError") and refusal(answer) and f"--secret-names {name}" in refusal(answer), (name, arguments, answer)
    for arguments in FINE:
        answer = planned(client, arguments)
        assert not answer.get("isError"), (arguments, answer)
    for right in RIGHTS:
        answer = planned(client, template(others=[right]))
        assert "kml mcp does not create " + right["kind"] in refusal(answer), (right, answer)
    for kind in ("secrets", "configmaps"):
        listed = json.dumps(client.data("list", names=[kind]))
        assert '"k": ""' in listed and "dmFsdWUtb2YtaXQ=" not in listed, listed
    for arguments in OPEN:
        assert "kml mcp does not run privileged pods" in refusal(planned(client, arguments)), arguments
# A name without a kind means a Secret or a variable.
for names in ("db,configmap/settings,serviceaccount/reader,serviceaccount/token,secretproviderclass/vault,secret/{x}", ",".join({name for name, _ in ROWS})):
    with Client(*FLAGS, "--secret-names", names) as client:
        for name, arguments in ROWS:
            assert not refusal(planned(client, arguments)), (names, name, arguments, planned(client, arguments))
        for right in RIGHTS:
            assert refusal(planned(client, template(others=[right]))), right
# A name allows no object of another kind or with another name.
with Client(*FLAGS, "--secret-names", "configmap/db,serviceaccount/db,secret/reader,settings,DB") as client:
    for name, arguments in ROWS:
        assert refusal(planned(client, arguments)), (name, arguments)
# Jobs may use what the user's own configuration names.
config = pathlib.Path(os.environ["XDG_CONFIG_HOME"]) / "kml/config.yaml"
config.parent.mkdir(parents=True)
config.write_text("pull-secrets: [db]\nservice-account: reader\n")
with Client(*FLAGS) as client:
    for arguments in ({}, {"kind": "serve", "name": "s"}, run_of(), {**SWEEP, "command": ["echo", "l={x}"]}):
        assert not planned(client, arguments).get("isError"), (arguments, planned(client, arguments))
    assert refusal(planned(client, {"mount": ["configmap/settings:/x"]}))
config.unlink()
# A plan of one server cannot be applied by a server that does not allow the plan's Secret.
with Client(*FLAGS, "--secret-names", "db") as client:
    plan = client.data("plan", name="named", command=["true"], flags=["--env-from=db"])["id"]
with Client(*FLAGS) as client:
    assert refusal(client.tool("apply", plan=plan))
    assert "named" not in kml("list", "-o", "name")
with Client(*FLAGS, "--secret-names", "db") as client:
    client.data("apply", plan=plan)
P
python3 agent.py || fail agent.py
