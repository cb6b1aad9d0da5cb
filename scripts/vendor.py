"""Fetch again what src/crisptopics/report/vendor/vendor.json names, and check it.

For a new version: change version, tarball, tarball_sha512 (npm's dist.integrity) and sha256 there, run this, and look
at every part of a report.
"""

import base64
import hashlib
import io
import json
import sys
import tarfile
import urllib.request
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "src" / "crisptopics" / "report" / "vendor"

for entry in json.loads((FOLDER / "vendor.json").read_text(encoding="utf-8")):
    with urllib.request.urlopen(entry["tarball"]) as answer:
        packed = answer.read()
    if base64.b64encode(hashlib.sha512(packed).digest()).decode() != entry["tarball_sha512"]:
        sys.exit(f"{entry['tarball']} is not what vendor.json says")
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        content = archive.extractfile("package/" + entry["path"]).read()
    if hashlib.sha256(content).hexdigest() != entry["sha256"]:
        sys.exit(f"{entry['path']} is not what vendor.json says")
    (FOLDER / entry["file"]).write_bytes(content)
