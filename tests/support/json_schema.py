"""Checks values against the part of JSON Schema 2020-12 that docs/schemas uses, without a library. An object may have only
the properties that its schema names, unless the schema has additionalProperties: so each field that kml prints must
be in the published schema. `python3 json_schema.py SCHEMA [--lines]` checks standard input, or each of its lines."""

import json
import re
import sys

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "null": lambda v: v is None,
}
KNOWN = {"$schema", "$defs", "$ref", "title", "description", "type", "enum", "const", "format", "properties", "required",
         "additionalProperties", "items", "anyOf"}


def faults(schema, value, root=None, path="$"):
    """The faults of the value, as texts."""
    root = root or schema
    unknown = set(schema) - KNOWN
    assert not unknown, f"{path}: this checker does not know {unknown}"
    if "$ref" in schema:
        return faults(root["$defs"][schema["$ref"].removeprefix("#/$defs/")], value, root, path)
    if "anyOf" in schema:
        tried = [faults(each, value, root, path) for each in schema["anyOf"]]
        return [] if [] in tried else min(tried, key=len)
    types = schema.get("type", [])
    types = types if isinstance(types, list) else [types]
    if types and not any(TYPES[each](value) for each in types):
        return [f"{path}: {value!r} is not {' or '.join(types)}"]
    if value is None and "null" in types:
        return []
    found = []
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{path}: {value!r} is not one of {schema['enum']}")
    if "const" in schema and value != schema["const"]:
        found.append(f"{path}: {value!r} is not {schema['const']!r}")
    if schema.get("format") == "date-time" and not TIME.fullmatch(value):
        found.append(f"{path}: {value!r} is not a time")
    if isinstance(value, list):
        for i, item in enumerate(value):
            found += faults(schema.get("items", {}), item, root, f"{path}[{i}]")
    if isinstance(value, dict) and types:
        properties, others = schema.get("properties", {}), schema.get("additionalProperties", False)
        found += [f"{path}: {key} is missing" for key in schema.get("required", []) if key not in value]
        for key, item in value.items():
            if key in properties:
                found += faults(properties[key], item, root, f"{path}.{key}")
            elif others is False:
                found.append(f"{path}: {key} is not in the schema")
            elif others is not True:
                found += faults(others, item, root, f"{path}.{key}")
    return found


if __name__ == "__main__":
    schema = json.load(open(sys.argv[1]))
    text = sys.stdin.read()
    values = [json.loads(line) for line in text.splitlines()] if "--lines" in sys.argv else [json.loads(text)]
    all_faults = [fault for value in values for fault in faults(schema, value)]
    print("\n".join(all_faults[:20]), file=sys.stderr)
    sys.exit(bool(all_faults) or not values)
