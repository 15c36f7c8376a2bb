"""Judges copies in which a rectangle is black with pydicom, and with dciodvfy where it is installed.

    python blackOut.py ORIGINALS COPIES RECTANGLE

Both folders have the same file names. Prints one line for each fault and a summary, and exits with 1 after a fault: a
pixel inside that is not black, a pixel outside that changed, a statement that is missing, a new error of dciodvfy. Frames of
JPEG are decoded by two libraries, which may round in different ways.
"""

import json
import pathlib
import sys

import numpy as np
import pydicom
from dciodvfy import USED, judged
from pydicom.pixels import pixel_array

DEFLATED = "1.2.840.10008.1.2.1.99"
LOSSY = ("1.2.840.10008.1.2.4.50", "1.2.840.10008.1.2.4.51")
# Two libraries decode JPEG, and change its colours.
ROUNDING = {"lossy": 5, "ybr": 2, "exact": 0}


def samples(dataset):
    """All frames, with colours as RGB."""
    array = pixel_array(dataset)
    count = int(dataset.get("NumberOfFrames") or 1)
    shape = (count, dataset.Rows, dataset.Columns, dataset.SamplesPerPixel)
    return array.reshape(shape).astype(np.int64)


def faults(original, copy, box):
    before, after = pydicom.dcmread(original, force=True), pydicom.dcmread(copy)
    codes = [code.CodeValue for code in after.DeidentificationMethodCodeSequence]
    if "113101" not in codes or after.get("BurnedInAnnotation") != "NO":
        yield "statement"
    if after.get("SOPInstanceUID") and after.SOPInstanceUID == before.get("SOPInstanceUID"):
        yield "instance UID stayed"
    if "IconImageSequence" in after or any(0x6000 <= e.tag.group <= 0x60FF for e in after):
        yield "icon or overlay stayed"
    if after.file_meta.TransferSyntaxUID.is_compressed:
        yield "compressed"
    try:
        new = samples(after)
    except ValueError:
        # The header says something impossible, as that of the original does.
        return
    inside = new[:, box["y0"] : box["y1"], box["x0"] : box["x1"]]
    signed = after.PixelRepresentation == 1 and after.SamplesPerPixel == 1
    span = 2**after.BitsStored
    lowest = -span // 2 if signed else 0
    black = {
        "MONOCHROME1": [lowest + span - 1],
        "MONOCHROME2": [lowest],
        "RGB": [0, 0, 0],
    }.get(after.PhotometricInterpretation)
    if black is None:
        black = inside[0, 0, 0]
    if (inside != np.array(black)).any():
        yield f"inside is not black but {np.unique(inside)[:4]}"
    try:
        old = samples(before)
    except Exception:
        return
    if old.shape != new.shape:
        yield f"shape {old.shape} became {new.shape}"
        return
    outside = np.ones(new.shape, bool)
    outside[:, box["y0"] : box["y1"], box["x0"] : box["x1"]] = False
    apart = np.abs(old - new)[outside].max(initial=0)
    syntax = before.file_meta.get("TransferSyntaxUID")
    kind = "lossy" if syntax in LOSSY else "ybr" if before.PhotometricInterpretation.startswith("YBR") else "exact"
    if apart > ROUNDING[kind]:
        yield f"outside differs by {apart}"
    # It does not read what is deflated, and finds nothing wrong there.
    if syntax == DEFLATED:
        return
    for line in sorted(judged(copy) - judged(original)):
        yield f"dciodvfy: {line}"


def main(originals, copies, rectangle):
    count, wrong = 0, 0
    for copy in sorted(pathlib.Path(copies).iterdir()):
        count += 1
        for fault in faults(pathlib.Path(originals) / copy.name, copy, json.loads(rectangle)):
            wrong += 1
            print(f"{copy.name}: {fault}")
    print(f"{count} copies judged, {wrong} faults, dciodvfy {USED}")
    sys.exit(1 if wrong else 0)


main(*sys.argv[1:])
