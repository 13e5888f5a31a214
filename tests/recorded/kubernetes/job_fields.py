#!/usr/bin/env python3
"""Prints the fields of a JobSpec, and of all types in it, as "TYPE.FIELD KIND", from Kubernetes' swagger.json:
job_fields.py <api/openapi-spec/swagger.json of k8s.io/kubernetes >job_fields-1.37.txt
KIND is s string, y base64, i integer, b truth, q quantity, n integer or string, * anything, [T] list, {T} map, or
a type."""
import json
import sys

definitions = json.load(sys.stdin)["definitions"]
SCALARS = {"Quantity": "q", "IntOrString": "n", "Time": "s", "MicroTime": "s", "FieldsV1": "*"}
found = {}


def kind_of(schema):
    if "$ref" in schema:
        name = schema["$ref"].split("/")[-1]
        short = name.split(".")[-1]
        if short not in SCALARS and not definitions[name].get("properties"):
            return "*"  # a type without fields
        if short not in SCALARS:
            visit(name)
        return SCALARS.get(short, short)
    kind = schema.get("type")
    if kind == "array":
        return f"[{kind_of(schema['items'])}]"
    if kind == "object":
        return f"{{{kind_of(schema['additionalProperties'])}}}" if "additionalProperties" in schema else "*"
    if kind == "string":
        return "y" if schema.get("format") == "byte" else "s"
    return {"integer": "i", "number": "i", "boolean": "b"}[kind]


def visit(name):
    short = name.split(".")[-1]
    if short in found:
        return
    found[short] = {}
    found[short].update({field: kind_of(schema) for field, schema in definitions[name].get("properties", {}).items()})


visit("io.k8s.api.batch.v1.JobSpec")
for type_name in sorted(found):
    for field in sorted(found[type_name]):
        print(f"{type_name}.{field} {found[type_name][field]}")
