"""The settings of a task for its pod: variables, resources, secrets, volumes, retries."""
from kfp import dsl, kubernetes
from own.case import component, echo, run


@component
def variables(names: list) -> str:
    import os

    return "|".join(os.environ.get(name, "none") for name in names)


@run(variables={"Output": "x $HOME ${y}|1 'quoted' \"two\"||none"})
@dsl.pipeline
def environment():
    task = variables(names=["A", "B", "EMPTY", "NOWHERE"])
    task.set_env_variable("A", "x $HOME ${y}").set_env_variable("B", "1 'quoted' \"two\"").set_env_variable("EMPTY", "")


@run(echo={"Output": "placed"})
@dsl.pipeline
def resources():
    task = echo(text="placed").set_cpu_request("10m").set_cpu_limit("1").set_memory_request("10M").set_memory_limit("512Mi")
    kubernetes.add_node_selector(task, label_key="kubernetes.io/os", label_value="linux")


@component
def secrets(path: str) -> str:
    import os

    with open(f"{path}/token") as file:
        return f"{os.environ['PASSWORD']} {file.read()}"


@run(secrets={"Output": "hush let me in"})
@dsl.pipeline
def secrets_of_the_cluster():
    task = secrets(path="/secrets/login")
    kubernetes.use_secret_as_env(task, secret_name="kfp-login", secret_key_to_env={"password": "PASSWORD"})
    kubernetes.use_secret_as_volume(task, secret_name="kfp-login", mount_path="/secrets/login")


@component
def fail_first(folder: str, job: str) -> int:
    import os

    path = f"{folder}/{job}"
    tries = os.path.getsize(path) if os.path.exists(path) else 0
    with open(path, "a") as file:
        file.write("x")
    if tries < 2:
        raise SystemExit(7)
    return tries


@run(fail_first={"Output": 2})
@dsl.pipeline
def retries():
    task = fail_first(folder="/shared", job=dsl.PIPELINE_JOB_NAME_PLACEHOLDER).set_caching_options(False)
    task.set_retry(2, backoff_duration="0s", backoff_factor=1.0, backoff_max_duration="1s")
    kubernetes.mount_pvc(task, pvc_name="kfp-shared", mount_path="/shared")


@component
def put(path: str, text: str):
    with open(path, "w") as file:
        file.write(text)


@component
def get(path: str) -> str:
    with open(path) as file:
        return file.read()


@run(get={"Output": "on the volume"})
@dsl.pipeline
def files_on_a_volume():
    written = put(path="/data/kfp-file", text="on the volume").set_caching_options(False)
    found = get(path="/mnt/kfp-file").after(written).set_caching_options(False)
    kubernetes.mount_pvc(written, pvc_name="kfp-shared", mount_path="/data")
    kubernetes.mount_pvc(found, pvc_name="kfp-shared", mount_path="/mnt")
