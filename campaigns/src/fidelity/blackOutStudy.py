"""Judges the copies of studies with pydicom: those of one study are a study again.

    python blackOutStudy.py ORIGINALS COPIES

Both folders have the same file names. UIDs of the copies agree where those of the originals do, and differ where they
differ; no UID and no identifying value of an original is among the bytes; the dates of one patient move alike. Prints one
line for each fault and a summary, and exits with 1 after a fault, and when no study has several copies.
"""

import collections
import datetime
import pathlib
import sys

import pydicom

UIDS = ("StudyInstanceUID", "SeriesInstanceUID", "FrameOfReferenceUID", "SOPInstanceUID")
NAMED = ("PatientName", "PatientID", "AccessionNumber", "ReferringPhysicianName", "InstitutionName", "OperatorsName")
PIXELS = ("PixelData", "FloatPixelData", "DoubleFloatPixelData")


def day(dataset):
    text = str(dataset.get("StudyDate") or "")
    try:
        return datetime.date(int(text[:4]), int(text[4:6]), int(text[6:8]))
    except ValueError:
        return None


def header(path, dataset):
    """The bytes of a file without its pixels, in which anything may stand by chance."""
    raw = path.read_bytes()
    for keyword in PIXELS:
        if keyword in dataset and dataset[keyword].value:
            raw = raw.replace(dataset[keyword].value, b"")
    return raw


def left(before, after, path):
    raw = header(path, after)
    for keyword in UIDS + NAMED:
        value = str(before.get(keyword) or "")
        shown = any(value in str(after.get(one, "")) for one in ("Manufacturer", "ManufacturerModelName"))
        if len(value) >= 5 and not shown and value.encode("utf8") in raw:
            yield f"{keyword} is among the bytes"
        if value and keyword in UIDS and not after.get(keyword):
            yield f"{keyword} is missing"
    if str(after.file_meta.get("MediaStorageSOPInstanceUID", "")) != str(after.get("SOPInstanceUID", "")) != "":
        yield "instance UID of the file meta information"
    if after.get("PatientIdentityRemoved") != "YES":
        yield "statement"


def main(originals, copies):
    wrong, count = 0, 0
    forth = {keyword: collections.defaultdict(set) for keyword in UIDS}
    back = {keyword: collections.defaultdict(set) for keyword in UIDS}
    studies = collections.defaultdict(set)
    shifts = collections.defaultdict(set)

    def fault(where, what):
        nonlocal wrong
        wrong += 1
        print(f"{where}: {what}")

    for path in sorted(pathlib.Path(copies).iterdir()):
        before, after = pydicom.dcmread(pathlib.Path(originals) / path.name, force=True), pydicom.dcmread(path)
        count += 1
        for what in left(before, after, path):
            fault(path.name, what)
        for keyword in UIDS:
            old, new = str(before.get(keyword) or ""), str(after.get(keyword) or "")
            if old and new:
                forth[keyword][old].add(new)
                back[keyword][new].add(old)
        if before.get("StudyInstanceUID") and before.get("SOPInstanceUID"):
            studies[str(after.get("StudyInstanceUID"))].add(str(after.get("SOPInstanceUID")))
        if day(before) and day(after):
            shifts[str(before.get("PatientID") or "")].add((day(after) - day(before)).days)
    for keyword in UIDS:
        for old, new in forth[keyword].items():
            if len(new) > 1:
                fault(keyword, f"{old} became {sorted(new)}")
        for new, old in back[keyword].items():
            if len(old) > 1:
                fault(keyword, f"{sorted(old)} became {new}")
    for moved in shifts.values():
        if len(moved) > 1 or 0 in moved:
            fault("StudyDate", f"moved by {sorted(moved)}")
    several = [instances for instances in studies.values() if len(instances) > 1]
    if not several:
        fault("studies", "none has several copies")
    images = sum(len(instances) for instances in several)
    print(f"{count} copies judged as studies, {len(several)} studies of {images} images, {wrong} faults")
    sys.exit(1 if wrong else 0)


main(*sys.argv[1:])
