"""Packs the wheel: for pip (PEP 517), and as `python build_wheel.py <folder>`. Name, version and licence are those of
package.json, so that they stand in one place."""

import base64
import hashlib
import json
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = "durable_evolve"
METADATA = """Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: {description}
License: {license}
Requires-Python: >=3.10
Requires-Dist: pyarrow>=14
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: durable-evolve\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    about = json.loads((HERE.parents[1] / "package.json").read_text("utf8"))
    info = f"{PACKAGE}-{about['version']}.dist-info"
    sources = [file for file in sorted((HERE / PACKAGE).iterdir()) if file.is_file()]
    files = {f"{PACKAGE}/{file.name}": file.read_bytes() for file in sources}
    files |= {f"{info}/METADATA": METADATA.format(**about).encode(), f"{info}/WHEEL": WHEEL.encode()}
    digests = {path: base64.urlsafe_b64encode(hashlib.sha256(content).digest()) for path, content in files.items()}
    lines = [f"{path},sha256={digests[path].rstrip(b'=').decode()},{len(content)}\n" for path, content in files.items()]
    files[f"{info}/RECORD"] = "".join([*lines, f"{info}/RECORD,,\n"]).encode()
    name = f"{PACKAGE}-{about['version']}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w") as wheel:
        for path, content in files.items():
            # One date, so that the same sources give the same wheel.
            wheel.writestr(zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return name


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    print(Path(sys.argv[1]) / build_wheel(sys.argv[1]))
