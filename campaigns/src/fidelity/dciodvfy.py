"""dciodvfy, which finds errors in DICOM files, where it is installed."""

import re
import shutil
import subprocess

USED = "used" if shutil.which("dciodvfy") else "not installed"


def judged(path):
    """Returns the errors of a file. UIDs are not named, because those of copies and exports differ by intent."""
    if not shutil.which("dciodvfy"):
        return set()
    out = subprocess.run(["dciodvfy", "-new", str(path)], capture_output=True, text=True, errors="replace").stderr
    plain = (re.sub(r"<[0-9.]+>", "UID", line.strip()) for line in out.splitlines() if line.startswith("Error"))
    # It says this of a file whose transfer syntax it cannot follow.
    return {line for line in plain if "Tag read failed" not in line}
