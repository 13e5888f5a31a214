export KML_KFP_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/kml PIP_CACHE_DIR=${PIP_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/pip}
. "$(dirname "$0")/lib.sh"
# Runs a compiled Kubeflow pipeline on a cluster: its components run in their images, including kfp's own executor.
# Artifacts with their metadata, parameters and lists, even those of loops, are passed on through logs and Secrets, or
# stay on a volume.
kml() { timeout 1000 "$KML" "$@"; }
python=$SOURCE/tests/peers/kfp/python

# Makes an image such as a component's author would use: Python and kfp.
site=$("$python" -c 'import kfp, os; print(os.path.dirname(os.path.dirname(kfp.__file__)))')
mkdir -m 777 lib tmp
cp -rL /usr/lib/python3.11/*.py /usr/lib/python3.11/{asyncio,collections,concurrent,ctypes,email,encodings,html,http,importlib,json,logging,lib-dynload,multiprocessing,re,tomllib,unittest,urllib,xml,zoneinfo} lib
cp -rL "$site"/kfp "$site"/typing_extensions.py lib
find lib -name __pycache__ -prune -exec rm -r {} +
libraries=$(for file in /usr/bin/python3.11 lib/lib-dynload/*.so; do ldd "$file"; done | grep -o '/[^ ]*' | sort -u)
cluster image localhost/kfp:1 /usr/bin/python3 /bin/busybox:bin/busybox /bin/busybox:bin/sh /bin/busybox:bin/mktemp /usr/bin/python3.11:usr/bin/python3 \
  "$work/lib:usr/lib/python3.11" "$work/tmp:tmp" $(sed 's#.*#&:&#' <<<"$libraries")

cat >compile.py <<'P'
from typing import List, Optional

from kfp import compiler, dsl, kubernetes
from kfp.dsl import Artifact, Dataset, Input, Metrics, Output, OutputPath

component = dsl.component(base_image="localhost/kfp:1", install_kfp_package=False)


@component
def make(rows: int, data: Output[Dataset], empty: Output[Artifact], metrics: Output[Metrics]) -> List[int]:
    with open(data.path, "w") as file:
        file.write("row\n" * rows)
    data.metadata["rows"] = rows
    metrics.log_metric("accuracy", 0.5)
    return list(range(rows))


@component
def read(data: Input[Dataset], numbers: List[int], same: Output[Dataset]) -> str:
    import os

    with open(data.path) as file:
        lines = len(file.readlines())
    same.uri = data.uri
    return f"{lines} lines, {data.metadata['rows']} rows, {sum(numbers)} {os.environ['NAME']} {os.environ['PASSWORD']}"


@component
def double(n: int) -> int:
    return 2 * n


@component
def total(numbers: List[int]) -> int:
    return sum(numbers)


@component
def cleanup(status: dsl.PipelineTaskFinalStatus) -> str:
    return f"{status.pipeline_task_name} {status.state}"


@dsl.container_component
def count(data: Input[Artifact], text: OutputPath(str), copy: Output[Artifact], greeting: Optional[str] = None):
    return dsl.ContainerSpec(
        image="localhost/busybox:1",
        command=["sh", "-c", 'cat "$1" >"$2"; lines=$(wc -l <"$1"); shift 2; echo "$lines $*" >"$0"', text, data.path, copy.path],
        args=[dsl.IfPresentPlaceholder("greeting", then=["--greeting", greeting], else_=["--silent"])],
    )


def placed(task):
    return kubernetes.add_node_selector(task, "kubernetes.io/hostname", "node1")


@dsl.pipeline(name="compiled")
def compiled(rows: int = 3, file: str = "lines.txt"):
    with dsl.ExitHandler(placed(cleanup())):
        made = placed(make(rows=rows)).set_cpu_request("50m").set_memory_limit("200Mi").set_retry(1)
        seen = placed(read(data=made.outputs["data"], numbers=made.outputs["Output"])).set_env_variable("NAME", "$x")
        kubernetes.use_secret_as_env(seen, secret_name="login", secret_key_to_env={"PASSWORD": "PASSWORD"})
        placed(count(data=seen.outputs["same"], greeting="hello there"))
        imported = dsl.importer(artifact_uri=file, artifact_class=Dataset, reimport=False)
        placed(count(data=imported.output))
        with dsl.If(seen.outputs["Output"] == "nothing"):
            placed(double(n=1))
        with dsl.ParallelFor(made.outputs["Output"], parallelism=2) as item:
            doubled = placed(double(n=item))
        placed(total(numbers=dsl.Collected(doubled.output)))


@dsl.pipeline(name="stored")
def stored(rows: int = 4):
    made = placed(make(rows=rows))
    counted = placed(count(data=made.outputs["data"]))
    claim = kubernetes.CreatePVC(pvc_name_suffix="-made", access_modes=["ReadWriteOnce"], size="5Mi", storage_class_name="")
    kubernetes.DeletePVC(pvc_name=claim.outputs["name"]).after(counted)


for pipeline in (compiled, stored):
    compiler.Compiler().compile(pipeline, f"{pipeline.name}.yaml")
P
"$python" -W ignore compile.py || fail "the pipeline was not compiled"
k create secret generic login --from-literal PASSWORD=hush >/dev/null
printf '1\n2\n' >lines.txt
expect 2 kml run compiled.yaml
contains "$err" "uses the secret login"
expect 0 kml trust compiled.yaml

# outputs FILE FLAGS...: runs the file. Sets $outputs to a line "STEP STATE OUTPUT=VALUE ..." for each step.
outputs() {
  expect 0 kml run "$@"
  run=$(sed -n 's/^kml: run \([^ ]*\)$/\1/p' <<<"$err")
  expect 0 kml run status "$run" -o json
  outputs=$(python3 -c '
import json, sys
for step in json.load(sys.stdin)["steps"]:
    made = step["outputs"]
    print(step["name"], step["state"], *(name + "=" + json.dumps(made[name]["value"]) for name in sorted(made) if "value" in made[name]))' <<<"$out")
}
has() { grep -qxF -- "$1" <<<"$outputs" || fail "no line \"$1\" in:"$'\n'"$outputs"; }
check() { # what any of its runs makes
  has 'make done Output=[0, 1, 2]'
  has 'read done Output="3 lines, 3 rows, 3 $x hush"'
  has 'count done text="3 --greeting hello there\n"'
  has 'count-2 done text="2 --silent\n"'
  has 'double skipped'
  has 'total done Output=6'
  has 'cleanup done Output="exit-handler-1 SUCCEEDED"'
}

outputs compiled.yaml
check
expect 0 k get jobs -l kml.dev/step=make -o 'jsonpath={.items[0].spec.template.spec.containers[0].resources.requests.cpu}'
[ "$out" = 50m ] || fail "no CPU asked for: $out"
[ -z "$(k get jobs -l kml.dev/step=importer -o name)" ] || fail "a job for what kml imports itself"
expect 0 kml run status "$run" -o json
python3 - "$out" <<'P' || fail "artifacts: $out"
import json, sys
made = {step["name"]: step["outputs"] for step in json.loads(sys.argv[1])["steps"]}
assert made["make"]["metrics"]["metrics"] == {"accuracy": 0.5}, made["make"]
assert made["make"]["data"]["metadata"] == {"rows": 3} and made["make"]["empty"]["bytes"] == 0, made["make"]
assert made["read"]["same"]["path"] == made["make"]["data"]["path"], made["read"]
assert made["count"]["copy"]["digest"] == made["make"]["data"]["digest"], made["count"]
P

# With a different file, the importer and the tasks that read the file run again. The other tasks do not, if they may be
# cached.
echo 3 >>lines.txt
outputs compiled.yaml
has 'make cached Output=[0, 1, 2]'
has 'count-2 done text="3 --silent\n"'
has 'count cached text="3 --greeting hello there\n"'
[ "$(grep -cE '^(importer|count-2|cleanup) done' <<<"$outputs")" = 3 ] || fail "what ran: $outputs"

# With a volume, artifacts stay there with their metadata; files cannot be imported from this machine.
need_volume shared ReadWriteMany
expect 2 kml run stored.yaml --store pvc/shared/team
contains "$err" "removes a volume claim"
expect 0 kml trust stored.yaml
outputs stored.yaml --store pvc/shared/team
has 'make done Output=[0, 1, 2, 3]'
has 'count done text="4 --silent\n"'
[ "$(wc -l <"$volume/team/v1/data/$run/make/0/data")" = 4 ] || fail "$(ls -lR "$volume")"
expect 0 kml run status "$run"
contains "$out" "name=$run-made"
[ "$(k get pvc -o name)" = persistentvolumeclaim/shared ] || fail "$(k get pvc)"
expect 2 kml run compiled.yaml --store pvc/shared/team
contains "$err" "cannot be used with --store"
