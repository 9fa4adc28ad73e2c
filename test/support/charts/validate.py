"""Checks Kubernetes objects against the schemas of Kubernetes and of custom resources, and refuses unknown fields.

Reads {"wheels": folder, "kubernetes": version, "objects": [...], "custom": {"kind-group-version": schema}} and prints a
list of faults. With {"schema": ...} the objects are checked against that one. The wheels are read as they were downloaded: they hold 17,000 files that nobody has to unpack.
"""
import glob
import json
import os
import re
import sys
import urllib.parse
import zipfile

asked = json.load(sys.stdin)
wheels = {os.path.basename(path).split("-")[0]: path for path in glob.glob(os.path.join(asked["wheels"], "*.whl"))}
sys.path[:0] = [wheels[name] for name in ("jsonschema", "attrs", "pyrsistent")]
import jsonschema  # noqa: E402

FOLDER = f"kubernetes_validate/kubernetes-json-schema/v{asked['kubernetes']}-local-strict/"
if "schema" in asked:
    archive, known, definitions = None, set(), {}
else:
    archive = zipfile.ZipFile(wheels["kubernetes_validate"])
    known = set(archive.namelist())
    definitions = json.loads(archive.read(FOLDER + "_definitions.json"))


class Pointers(jsonschema.RefResolver):
    """References are JSON pointers here. The library's own way searches 2 MB of definitions for names at each of them."""

    def resolve(self, ref):
        url = urllib.parse.urljoin(self.resolution_scope, ref)
        at, pointer = urllib.parse.urldefrag(url)
        found = self.store[at]
        for part in pointer.split("/")[1:]:
            found = found[urllib.parse.unquote(part).replace("~1", "/").replace("~0", "~")]
        return url, found


def strict(schema):
    """A custom resource's schema as the API server reads it: what it does not name is unknown."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(value) for key, value in schema.items()}
    if "properties" in schema and "additionalProperties" not in schema:
        made["additionalProperties"] = False
    return made


def schema_of(one):
    if "schema" in asked:
        return asked["schema"]
    group, _, version = one["apiVersion"].rpartition("/")
    name = "-".join([one["kind"].lower(), *([group.split(".")[0]] if group else []), version])
    if name in asked["custom"]:
        return strict(asked["custom"][name])
    path = f"{FOLDER}{name}.json"
    return json.loads(archive.read(path)) if path in known else None


faults = []
for one in asked["objects"]:
    called = f"{one.get('kind')} {one.get('metadata', {}).get('name')}" if "kind" in one else one.get("name")
    schema = schema_of(one)
    if schema is None:
        faults.append(f"{called}: no schema of {one.get('apiVersion')}")
        continue
    base = schema.get("$id", "")
    resolver = Pointers(base, schema, store={"https://kubernetes.io/api/_definitions.json": definitions})
    validator = jsonschema.Draft202012Validator(schema, resolver=resolver)
    for fault in validator.iter_errors(one):
        place = ".".join(str(part) for part in fault.absolute_path)
        faults.append(f"{called}: {place}: {re.sub(r'[{].*[}]', '...', fault.message)[:300]}")
print(json.dumps(faults))
