#!/usr/bin/env python3
"""Brings kml's tables of Kubernetes' fields to another version:

    tables.py 1.37.2 [FOLDER]

FOLDER holds the published Go modules k8s.io/kubernetes, k8s.io/api and k8s.io/apimachinery as `go mod download` stores them
(without it, $(go env GOMODCACHE)/k8s.io). Written are the lines of src/kube/objects/field_table.cc and of
src/local/api/protobuf_types.cc whose types Kubernetes has, with the types that they lead to; kFieldsVersion; and
job_fields-1.37.txt, with which a test compares the first. Lines with types of kml's own stay, as do the fields that a table
ignores."""
import json
import pathlib
import re
import subprocess
import sys

version = sys.argv[1]
minor = version.rsplit(".", 1)[0]
here = pathlib.Path(__file__).resolve().parent
source = here.parent.parent.parent
modules = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else
                       subprocess.check_output(["go", "env", "GOMODCACHE"], text=True).strip() + "/k8s.io")
GROUPS = ["core/v1", "batch/v1", "apps/v1", "scheduling/v1", "scheduling/v1beta1"]
LED_TO = ["scheduling/v1alpha3"]  # what types of these groups lead to
# Both tables have short names for some types, and do not list the fields of others.
RENAMED = {"ObjectMeta": "Meta", "ScopedResourceSelectorRequirement": "ScopeExpression"}
OPAQUE = {"Time", "MicroTime", "FieldsV1", "RawExtension"}


def table_lines(text):
    """The lines between R"( and )", and where they begin and end."""
    begin = text.index('R"(\n') + 4
    return begin, text.index(')"', begin)


def update(path, fields_of, first_sorted):
    """Writes the lines again; fields_of(type, old line's right side) gives the new right side and the types in it, or nothing
    for a type of kml's own. New types are put in after `first_sorted`, where the lines are sorted."""
    text = path.read_text()
    begin, end = table_lines(text)
    lines = text[begin:end].splitlines()
    names = [line.split(" =")[0] for line in lines]
    found, wanted = {}, []
    for name, line in zip(names, lines):
        made = fields_of(name, line.split(" =", 1)[1].strip())
        if made:
            found[name] = made[0]
            wanted += made[1]
    while wanted:
        name = wanted.pop()
        if name in found or name in names:
            continue
        made = fields_of(name, "")
        if made:
            found[name] = made[0]
            wanted += made[1]
    kept = [f"{name} = {found.get(name, line.split(' =', 1)[1].strip())}" for name, line in zip(names, lines)]
    for name in sorted(set(found) - set(names)):
        at = names.index(first_sorted)
        while names[at] < name and at < len(names) - 1 and names[at] <= names[at + 1]:
            at += 1
        if names[at] < name:
            at += 1
        names.insert(at, name)
        kept.insert(at, f"{name} = {found[name]}")
    path.write_text(text[:begin] + "\n".join(line.rstrip() for line in kept) + "\n" + text[end:])


def split_fields(text):
    return [field.split(" ") for field in text.split(", ")] if text else []


# The first table, from the OpenAPI.
definitions = json.loads((modules / f"kubernetes@v{version}/api/openapi-spec/swagger.json").read_text())["definitions"]
SCALARS = {"Quantity": "q", "IntOrString": "n", "Time": "s", "MicroTime": "s", "FieldsV1": "*", "RawExtension": "*"}

references = {}  # the full names of types that others lead to


def definition_of(name):
    if name in references:
        return definitions[references[name]]
    for group in GROUPS:
        schema = definitions.get(f"io.k8s.api.{group.replace('/', '.')}.{name}")
        if schema:
            return schema
    return definitions.get(f"io.k8s.apimachinery.pkg.apis.meta.v1.{name}")


def kind_of(schema, types):
    if "$ref" in schema:
        name = schema["$ref"].split(".")[-1]
        if name in SCALARS:
            return SCALARS[name]
        references[name] = schema["$ref"].split("/")[-1]
        if not definition_of(name).get("properties"):
            return "*"  # a type without fields
        name = RENAMED.get(name, name)
        types.append(name)
        return name
    kind = schema.get("type")
    if kind == "array":
        return f"[{kind_of(schema['items'], types)}]"
    if kind == "object":
        return f"{{{kind_of(schema['additionalProperties'], types)}}}" if "additionalProperties" in schema else "*"
    if kind == "string":
        return "y" if schema.get("format") == "byte" else "s"
    return {"integer": "i", "number": "i", "boolean": "b"}[kind]


def openapi_fields(name, old):
    schema = definition_of(name)
    if not schema or not schema.get("properties"):
        return None
    ignored = {field for field, kind in split_fields(old) if kind == "*"}
    types, fields = [], []
    for field in sorted(schema["properties"]):
        kind = "*" if field in ignored else kind_of(schema["properties"][field], types)
        fields.append(f"{field} {kind}")
    return ", ".join(fields), types


# The second table, from the tags of the Go types, because only these have the field numbers of protobuf.
structs, scalars = {}, {}
zero = version.replace("1.", "v0.", 1)
for path in [f"api@{zero}/{group}/types.go" for group in GROUPS + LED_TO] + [f"apimachinery@{zero}/pkg/apis/meta/v1/types.go"]:
    if not (modules / path).exists():
        continue  # an older version
    text = (modules / path).read_text()
    for name, body in re.findall(r"(?m)^type (\w+) struct \{\n(.*?)^\}", text, re.S):
        structs.setdefault(name, body)
    for name, base in re.findall(r"(?m)^type (\w+) (\w+|\[\]\w+|map\[\w+\]\S+)$", text):
        scalars.setdefault(name, base)
GO = {"string": "s", "bool": "f", "int": "z", "int32": "z", "int64": "z", "resource.Quantity": "q", "intstr.IntOrString": "n",
      "[]byte": "y", "types.UID": "s"}
POINTED = {"f": "b", "z": "i"}


def wire_type(go, types):
    go = re.sub(r"^[a-z]*v1[a-z0-9]*\.", "", go)
    if go in GO:
        return GO[go]
    if go.startswith("*"):
        kind = wire_type(go[1:], types)
        return POINTED.get(kind, kind)
    if go.startswith("[]"):
        return f"[{wire_type('*' + go[2:], types)}]"
    if go.startswith("map["):
        value = re.sub(r"^map\[[\w.]+\]", "", go)
        return f"{{{wire_type(value, types)}}}"
    if go == "ResourceList":
        return "{q}"
    if go in scalars:
        return wire_type(scalars[go], types)
    if go in OPAQUE or go not in structs:
        return "-"
    name = RENAMED.get(go, go)
    types.append(name)
    return name


def wire_fields(name, old):
    if name not in structs or name in KINDS:
        return None
    before = {field: kind for _, field, kind in split_fields(old)}
    types, fields = [], []
    for go, tags in re.findall(r'(?m)^\t(?:\w+\s+)?(\S+)\s+`(.*?)`', structs[name]):
        json_tag, number = re.search(r'json:"([^",]*)', tags), re.search(r'protobuf:"\w+,(\d+)', tags)
        if not number:
            continue
        field = json_tag.group(1) or "^"
        kind = before[field] if before.get(field) == "-" else wire_type(go, types)
        fields.append((int(number.group(1)), field, kind))
    return ", ".join(f"{number} {field} {kind}" for number, field, kind in fields), types


KINDS = {"ConfigMap", "Secret", "Namespace", "ServiceAccount", "ResourceQuota", "PriorityClass", "DeleteOptions",
         "Preconditions"}

if __name__ == "__main__":
    update(source / "src/kube/objects/field_table.cc", openapi_fields, "AWSElasticBlockStoreVolumeSource")
    update(source / "src/local/api/protobuf_types.cc", wire_fields, "AWSElasticBlockStoreVolumeSource")
    header = source / "include/kml/kube/objects/field_types.h"
    header.write_text(re.sub(r'kFieldsVersion = "[\d.]+"', f'kFieldsVersion = "{minor}"', header.read_text()))
    with open(modules / f"kubernetes@v{version}/api/openapi-spec/swagger.json") as swagger:
        fields = subprocess.check_output([sys.executable, here / "job_fields.py"], stdin=swagger, text=True)
    (here / f"job_fields-{minor}.txt").write_text(fields)
