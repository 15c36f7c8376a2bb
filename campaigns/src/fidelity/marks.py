"""Judges exported layers of marks with pydicom, and with dciodvfy where it is installed.

    python marks.py ORIGINALS EXPORTS

EXPORTS has for each original the marks as they were drawn (.json), the report (.sr) and, for greys, the presentation state
(.gsps). Prints one line for each fault and a summary, and exits with 1 after a fault: another patient, study or image, a
mark that is missing, a place that moved, a value that differs from the one that the original's header gives for the
drawn points, an error of dciodvfy that it does not find in the original.
"""

import json
import math
import pathlib
import re
import shutil
import subprocess
import sys

import pydicom

TYPES = {"length": "POLYLINE", "angle": "POLYLINE", "ellipse": "ELLIPSE", "probe": "POINT", "arrow": "POINT"}
CONCEPTS = {"length": "410668003", "angle": "1483009", "ellipse": "42798000"}


def close(one, other, part=1e-6):
    return math.isclose(float(one), float(other), rel_tol=part, abs_tol=1e-4)


def spacing(original, frame, points):
    """Row and column spacing in millimetres for these points, or None."""
    regions = [r for r in original.get("SequenceOfUltrasoundRegions") or [] if r.PhysicalUnitsXDirection == 3 == r.PhysicalUnitsYDirection]
    if regions:
        for r in regions:
            inside = (
                r.RegionLocationMinX0 <= x <= r.RegionLocationMaxX1 and r.RegionLocationMinY0 <= y <= r.RegionLocationMaxY1
                for x, y in points
            )
            if all(inside):
                return abs(r.PhysicalDeltaY) * 10, abs(r.PhysicalDeltaX) * 10
        return None
    groups = list(original.get("PerFrameFunctionalGroupsSequence") or [])[frame - 1 : frame]
    for group in groups + list(original.get("SharedFunctionalGroupsSequence") or []):
        for measures in group.get("PixelMeasuresSequence") or []:
            if measures.get("PixelSpacing"):
                return measures.PixelSpacing
    if original.get("PixelSpacing"):
        return original.PixelSpacing
    imager = original.get("ImagerPixelSpacing") or original.get("NominalScannedPixelSpacing")
    factor = original.get("EstimatedRadiographicMagnificationFactor") or 1
    return [value / factor for value in imager] if imager else None


def measured(original, mark):
    """The value and the unit of a mark, computed here from the points and the original's header."""
    found = spacing(original, mark["frame"], mark["points"])
    row, column = found or (1, 1)
    p = [(x * column, y * row) for x, y in mark["points"]]
    unit = "mm" if found else None
    if mark["kind"] == "length":
        return math.dist(*p), unit or "{pixels}"
    if mark["kind"] == "ellipse":
        return math.pi * math.dist(p[0], p[1]) * math.dist(p[2], p[3]) / 4, "mm2" if unit else "{pixels}"
    if mark["kind"] == "angle":
        a, b = ([end[i] - p[1][i] for i in (0, 1)] for end in (p[0], p[2]))
        return math.degrees(math.acos((a[0] * b[0] + a[1] * b[1]) / math.hypot(*a) / math.hypot(*b))), "deg"
    return None


def places(mark, original, whole=False):
    """The points as DICOM counts them: from the corner of the first pixel. The longer axis of an ellipse comes first."""
    points = mark["points"]
    if mark["kind"] == "ellipse" and math.dist(*points[:2]) < math.dist(*points[2:]):
        points = points[2:] + points[:2]
    if mark["kind"] == "arrow" and not whole:
        points = points[:1]
    return [value + 0.5 for point in points for value in point]


def same(data, wanted):
    data = list(data) if isinstance(data, (list, pydicom.multival.MultiValue)) else [data]
    return len(data) == len(wanted) and all(close(one, other) for one, other in zip(data, wanted))


def refers(reference, original, frame, frames):
    if (reference.ReferencedSOPClassUID, reference.ReferencedSOPInstanceUID) != (original.SOPClassUID, original.SOPInstanceUID):
        return False
    return reference.get("ReferencedFrameNumber") == (frame if frames > 1 else None)


def common(export, original):
    for keyword in ("PatientID", "StudyInstanceUID", "PatientName"):
        if str(export.get(keyword) or "") != str(original.get(keyword) or ""):
            yield f"{keyword} differs"
    if export.SOPInstanceUID != export.file_meta.MediaStorageSOPInstanceUID or export.SOPInstanceUID == original.SOPInstanceUID:
        yield "SOPInstanceUID"
    if export.SeriesInstanceUID == original.SeriesInstanceUID:
        yield "SeriesInstanceUID"


def of_report(report, original, marks, frames):
    yield from common(report, original)
    if report.Modality != "SR" or report.ContentTemplateSequence[0].TemplateIdentifier != "1500":
        yield "template"
    evidence = report.CurrentRequestedProcedureEvidenceSequence[0].ReferencedSeriesSequence[0]
    if evidence.SeriesInstanceUID != original.SeriesInstanceUID or not refers(evidence.ReferencedSOPSequence[0], original, None, 1):
        yield "evidence"
    groups = [
        group
        for part in report.ContentSequence
        if part.ConceptNameCodeSequence[0].CodeValue == "126010"
        for group in part.ContentSequence
    ]
    if len(groups) != len(marks):
        yield f"{len(groups)} groups of {len(marks)} marks"
    for mark, group in zip(marks, groups):
        name = f"{mark['kind']} on frame {mark['frame']}"
        content = group.ContentSequence[-1]
        wanted = measured(original, mark)
        if wanted:
            number = content.MeasuredValueSequence[0]
            got = (float(number.NumericValue), number.MeasurementUnitsCodeSequence[0].CodeValue)
            if got[1] != wanted[1] or not close(got[0], wanted[0]):
                yield f"{name}: {got} instead of {wanted}"
            if content.ConceptNameCodeSequence[0].CodeValue != CONCEPTS[mark["kind"]]:
                yield f"{name}: concept"
        elif content.TextValue != mark.get("text", "Point"):
            yield f"{name}: {content.TextValue!r}"
        place = content.ContentSequence[0]
        if place.GraphicType != TYPES[mark["kind"]] or not same(place.GraphicData, places(mark, original)):
            yield f"{name}: {place.GraphicType} {place.GraphicData} instead of {places(mark, original)}"
        if not refers(place.ContentSequence[0].ReferencedSOPSequence[0], original, mark["frame"], frames):
            yield f"{name}: another image or frame"


def of_state(state, original, marks, frames):
    yield from common(state, original)
    series = state.ReferencedSeriesSequence[0]
    if series.SeriesInstanceUID != original.SeriesInstanceUID or not refers(series.ReferencedImageSequence[0], original, None, 1):
        yield "image"
    annotations = state.GraphicAnnotationSequence
    if len(annotations) != len({mark["frame"] for mark in marks}):
        yield f"{len(annotations)} annotated frames"
    for annotation, frame in zip(annotations, sorted({mark["frame"] for mark in marks})):
        if not refers(annotation.ReferencedImageSequence[0], original, frame, frames):
            yield f"frame {frame}: another image or frame"
        graphics, texts = list(annotation.GraphicObjectSequence), list(annotation.TextObjectSequence)
        for graphic in graphics:
            if any(not 0 <= v <= (original.Columns, original.Rows)[i % 2] for i, v in enumerate([*graphic.GraphicData])):
                yield f"frame {frame}: beside the picture"
        for mark in (mark for mark in marks if mark["frame"] == frame):
            name = f"{mark['kind']} on frame {frame}"
            graphic = graphics.pop(0)
            kind = "POLYLINE" if mark["kind"] == "arrow" else TYPES[mark["kind"]]
            if graphic.GraphicType != kind or not same(graphic.GraphicData, places(mark, original, whole=True)):
                yield f"{name}: {graphic.GraphicType} {graphic.GraphicData}"
            if mark["kind"] == "arrow" and graphics.pop(0).GraphicType != "POLYLINE":
                yield f"{name}: no head"
            wanted = measured(original, mark)
            if not wanted and not mark.get("text"):
                continue
            text = texts.pop(0)
            said, _, unit = text.UnformattedTextValue.partition(" ")
            if not wanted:
                if text.UnformattedTextValue != mark["text"]:
                    yield f"{name}: {text.UnformattedTextValue!r}"
            elif abs(float(said) - wanted[0]) > 0.051 or unit != wanted[1].replace("{pixels}", "px2" if mark["kind"] == "ellipse" else "px"):
                yield f"{name}: {text.UnformattedTextValue} instead of {wanted}"
            if not same(text.AnchorPoint, [value + 0.5 for value in mark["points"][-1]]):
                yield f"{name}: the text is elsewhere"
        if graphics or texts:
            yield f"frame {frame}: too many graphics or texts"


def judged(path):
    if not shutil.which("dciodvfy"):
        return set()
    out = subprocess.run(["dciodvfy", "-new", str(path)], capture_output=True, text=True, errors="replace").stderr
    return {re.sub(r"<[0-9.]+>", "UID", line.strip()) for line in out.splitlines() if line.startswith("Error")}


def inherited(line, frames):
    """Some originals have frames although their class has none. A mark has to name its frame there too."""
    return frames > 1 and "ReferencedFrameNumber" in line and "not multi-frame" in line


def main(originals, exports):
    count, wrong = {"sr": 0, "gsps": 0}, 0
    for drawn in sorted(pathlib.Path(exports).glob("*.json")):
        original = pathlib.Path(originals) / drawn.stem
        header, known = pydicom.dcmread(original, force=True, stop_before_pixels=True), judged(original)
        for kind, judge in (("sr", of_report), ("gsps", of_state)):
            export = drawn.with_suffix(f".{kind}")
            if not export.exists():
                continue
            count[kind] += 1
            layer = json.loads(drawn.read_text())
            new = (line for line in sorted(judged(export) - known) if not inherited(line, layer["frames"]))
            for fault in [*judge(pydicom.dcmread(export), header, **layer), *(f"dciodvfy: {line}" for line in new)]:
                wrong += 1
                print(f"{export.name}: {fault}")
    used = "used" if shutil.which("dciodvfy") else "not installed"
    print(f"{count['sr']} reports and {count['gsps']} presentation states judged, {wrong} faults, dciodvfy {used}")
    sys.exit(1 if wrong or not count["sr"] else 0)


main(*sys.argv[1:])
