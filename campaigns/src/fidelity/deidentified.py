"""Judges de-identified copies with pydicom, and with dciodvfy where it is installed.

    python deidentified.py ORIGINALS COPIES

Both folders have the same file names. Prints one line for each fault and a summary, and exits with 1 after a fault:
an element of the table (PS3.15 E.1-1) that should have gone, a private element, a UID of an instance that stayed, a UID with
two replacements, two UIDs with one, dates that did not move alike, an identifying value that is still among the bytes,
changed pixel data, a new error of dciodvfy. The summary counts the files of each modality.
"""

import collections
import datetime
import hashlib
import pathlib
import sys

import pydicom
from dciodvfy import USED, judged
from dicomanonymizer.dicom_anonymization_databases import dicomfields_2026c as table

PIXELS = ("PixelData", "FloatPixelData", "DoubleFloatPixelData")
GONE = {(t[0] << 16) | t[1] for t in table.X_TAGS if len(t) == 2}
EMPTY = {(t[0] << 16) | t[1] for t in table.Z_TAGS if len(t) == 2}
UIDS = {(t[0] << 16) | t[1] for t in table.U_TAGS if len(t) == 2}
NAMED = [
    "PatientName", "PatientID", "OtherPatientIDs", "OtherPatientNames", "PatientBirthDate", "PatientAddress",
    "PatientMotherBirthName", "AccessionNumber", "ReferringPhysicianName", "PerformingPhysicianName", "OperatorsName",
    "InstitutionName", "InstitutionAddress", "StationName", "RequestingPhysician", "PhysiciansOfRecord",
    "NameOfPhysiciansReadingStudy", "StudyInstanceUID", "SeriesInstanceUID", "SOPInstanceUID", "FrameOfReferenceUID",
    "PatientComments", "StudyID", "DeviceSerialNumber", "TextValue", "PersonName", "VerifyingObserverName",
]


def walk(dataset):
    for element in dataset:
        yield element
        if element.VR == "SQ":
            for item in element.value or []:
                yield from walk(item)


def dates(dataset):
    found = []
    for element in walk(dataset):
        if element.VR in ("DA", "DT") and element.tag != 0x00100030 and not element.tag.is_private:
            for value in element.value if isinstance(element.value, pydicom.multival.MultiValue) else [element.value]:
                text = str(value or "")
                try:
                    found.append((int(element.tag), datetime.date(int(text[:4]), int(text[4:6]), int(text[6:8]))))
                except ValueError:
                    pass
    return found


def values(dataset):
    """The identifying texts of a file, long enough that they mean something."""
    for element in walk(dataset):
        if element.keyword in NAMED and element.value:
            for value in element.value if isinstance(element.value, pydicom.multival.MultiValue) else [element.value]:
                for part in str(value).replace("^", " ").split() if element.VR == "PN" else [str(value)]:
                    if len(set(part)) > 1 and len(part) >= 5:
                        yield element.keyword, part


def uids(dataset):
    """The UIDs that the table replaces: (path of the element, value)."""

    def under(part, path):
        for element in part:
            at = (*path, int(element.tag))
            if element.VR == "SQ":
                for number, item in enumerate(element.value or []):
                    yield from under(item, (*at, number))
            elif int(element.tag) in UIDS and element.value:
                several = isinstance(element.value, pydicom.multival.MultiValue)
                yield from ((at, str(uid)) for uid in (element.value if several else [element.value]))

    return under(dataset, ())


def kind(dataset):
    """The modality, and whether the file is an enhanced or another image of several frames."""
    several = str(dataset.get("NumberOfFrames") or "1").strip() not in ("0", "1")
    enhanced = "SharedFunctionalGroupsSequence" in dataset
    return f"{dataset.get('Modality') or 'none'}{' enhanced' if enhanced else ''}{' multi-frame' if several else ''}"


def inconsistent(before, after, replaced):
    """Names each UID that has another replacement than elsewhere, or shares its replacement with another UID."""
    now = collections.defaultdict(list)
    for path, uid in uids(after):
        now[path].append(uid)
    for path, uid in uids(before):
        if not now[path]:
            continue
        new = now[path].pop(0)
        if new != uid and (replaced.setdefault(uid, new) != new or replaced.setdefault(f"by {new}", uid) != uid):
            yield f"{uid} is replaced differently"


def pixels(found, keyword):
    """The pixels without what is behind the last frame, and without the bits beside the values."""
    value = found[keyword].value
    syntax = found.file_meta.get("TransferSyntaxUID")
    if syntax and syntax.is_transfer_syntax and syntax.is_compressed:
        return value
    samples = 2 if "_422" in str(found.get("PhotometricInterpretation", "")) else found.get("SamplesPerPixel", 1)
    bits = found.Rows * found.Columns * samples * found.BitsAllocated * int(found.get("NumberOfFrames", None) or 1)
    value = value[: (bits + 15) // 16 * 2]
    allocated, stored = found.BitsAllocated, found.get("BitsStored", found.BitsAllocated)
    if keyword != "PixelData" or stored == allocated:
        return value
    mask = ((1 << stored) - 1) << (found.get("HighBit", stored - 1) + 1 - stored)
    order = "little" if found.original_encoding[1] else "big"
    cells = mask.to_bytes(allocated // 8, order) * (len(value) * 8 // allocated)
    return int.from_bytes(value, "little") & int.from_bytes(cells, "little")


def faults(before, after, original, copy):
    raw = copy.read_bytes()
    body = raw
    for keyword in PIXELS:
        if keyword in before and keyword in after:
            if pixels(before, keyword) != pixels(after, keyword):
                yield f"{keyword} changed"
            body = body.replace(after[keyword].value, b"") if before[keyword].value else body
    if raw[:128].strip(b"\0"):
        yield "preamble"
    if str(before.file_meta.get("TransferSyntaxUID", "")) not in ("", str(after.file_meta.TransferSyntaxUID)):
        yield "transfer syntax"
    if after.get("PatientIdentityRemoved") != "YES" or after.get("LongitudinalTemporalInformationModified") != "MODIFIED":
        yield "statement"
    if [code.CodeValue for code in after.DeidentificationMethodCodeSequence] != ["113100", "113107"]:
        yield "method codes"
    if str(after.file_meta.get("MediaStorageSOPInstanceUID", "")) != str(after.get("SOPInstanceUID", "")) != "":
        yield "instance UID of the file meta information"
    for element in walk(after):
        tag = int(element.tag)
        if element.tag.is_private:
            yield f"private {element.tag}"
        elif 0x6000 <= element.tag.group <= 0x60FF or element.tag.group >> 8 == 0x50 or element.tag.element == 0:
            yield f"{element.tag}"
        elif tag in GONE and element.VR not in ("DA", "DT", "TM"):
            yield f"{element.keyword} stayed"
        elif tag in EMPTY and element.value and element.VR not in ("DA", "DT", "TM"):
            yield f"{element.keyword} has a value"
        elif tag in UIDS and element.value:
            for uid in element.value if isinstance(element.value, pydicom.multival.MultiValue) else [element.value]:
                if uid and not str(uid).startswith(("2.25.", "1.2.840.10008.")):
                    yield f"{element.keyword} stayed"
    moved = {}
    for tag, day in dates(before):
        moved.setdefault(tag, []).append(day)
    shifts = set()
    for tag, day in dates(after):
        if tag in moved and moved[tag]:
            shifts.add((day - moved[tag].pop(0)).days)
    if len(shifts) > 1 or 0 in shifts:
        yield f"dates moved by {sorted(shifts)}"
    shown = {str(after.get(keyword, "")) for keyword in ("Manufacturer", "ManufacturerModelName")}
    for keyword, text in values(before):
        if any(text in one for one in shown):
            continue
        if text.encode("latin1", "replace") in body or text.encode("utf8") in body:
            yield f"{keyword} is among the bytes"
    for line in sorted(judged(copy) - judged(original)):
        yield f"dciodvfy: {line}"


def main(originals, copies):
    count, wrong, kinds, replaced = 0, 0, collections.Counter(), {}
    for copy in sorted(pathlib.Path(copies).iterdir()):
        if copy.suffix == ".json":
            continue
        count += 1
        original = pathlib.Path(originals) / copy.name
        before, after = (pydicom.dcmread(path, force=True) for path in (original, copy))
        kinds[kind(before)] += 1
        for fault in (*faults(before, after, original, copy), *inconsistent(before, after, replaced)):
            wrong += 1
            print(f"{copy.name}: {fault}")
    print(", ".join(f"{name}: {number}" for name, number in sorted(kinds.items())))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(pathlib.Path(copies).iterdir()))).hexdigest()
    print(f"{count} copies judged, {wrong} faults, dciodvfy {USED}, {digest[:12]}")
    sys.exit(1 if wrong else 0)


main(*sys.argv[1:])
