"""Judges exported layers of marks with pydicom, and with dciodvfy where it is installed.

    python marks.py ORIGINALS EXPORTS

EXPORTS has for each original the marks as they were drawn (.json), the report (.sr) and, for greys, the presentation state
(.gsps). Prints one line for each fault and a summary, and exits with 1 after a fault: another patient, study or image, a
mark that is missing, a place that moved, a value that differs from the one that the original's header gives for the
drawn points, a value of pixels that differs from the one that the original's pixels give, an error of dciodvfy that it does
not find in the original.
"""

import json
import math
import pathlib
import sys

import numpy as np
import pydicom
from dciodvfy import USED, judged
from pydicom.pixels import pixel_array

TYPES = {"length": "POLYLINE", "angle": "POLYLINE", "ellipse": "ELLIPSE", "probe": "POINT", "arrow": "POINT"}
CONCEPTS = {"length": "410668003", "angle": "1483009", "ellipse": "42798000"}


# Two libraries decode JPEG, which may round in different ways.
LOSSY = ("1.2.840.10008.1.2.4.50", "1.2.840.10008.1.2.4.51")
compared = []
DERIVED = {"373098007": "mean", "386136009": "deviation"}


def close(one, other, part=1e-6):
    return math.isclose(float(one), float(other), rel_tol=part, abs_tol=1e-4)


def spacing(original, frame, points):
    """Row and column spacing in millimetres for these points, or None, also where the header says zero."""
    found = stated_spacing(original, frame, points)
    return found if found and min(found) > 0 else None


def stated_spacing(original, frame, points):
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


def at_detector(original, mark):
    """True for a size of which the header gives no millimetres in the patient (PS3.3 10.7.1)."""
    if mark["kind"] not in ("length", "ellipse") or spacing(original, mark["frame"], mark["points"]) is None:
        return False
    if original.get("SequenceOfUltrasoundRegions") or next(groups_of(original, mark["frame"], "PixelMeasuresSequence"), None):
        return False
    imager = original.get("ImagerPixelSpacing") or original.get("NominalScannedPixelSpacing")
    return bool(imager) and (not original.get("PixelSpacing") or list(imager) == list(original.PixelSpacing))


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


def groups_of(original, frame, name):
    of_frame = list(original.get("PerFrameFunctionalGroupsSequence") or [])[frame - 1 : frame]
    for group in of_frame + list(original.get("SharedFunctionalGroupsSequence") or []):
        yield from group.get(name) or []


def values_under(original, path, mark):
    """The values that a probe or an ellipse may have, computed here from the original's pixels.

    A pixel whose middle is on the edge of the ellipse may count or not. None for a frame that pydicom cannot decode.
    """
    try:
        array = pixel_array(path, index=mark["frame"] - 1).astype(np.float64)
    except (AttributeError, RuntimeError, ValueError):
        return None
    lut = next(groups_of(original, mark["frame"], "PixelValueTransformationSequence"), original)
    array = array * float(lut.get("RescaleSlope") or 1) + float(lut.get("RescaleIntercept") or 0)
    points = np.array(mark["points"])
    if mark["kind"] == "probe":
        x, y = (math.floor(value + 0.5) for value in points[0])
        return [{"mean": array[y, x]}]
    middle, u, v = points.mean(axis=0), (points[1] - points[0]) / 2, (points[3] - points[2]) / 2
    y, x = np.mgrid[: array.shape[0], : array.shape[1]]
    to = np.linalg.inv(np.array([u, v]).T)
    part = np.einsum("ij,jyx->iyx", to, np.array([x - middle[0], y - middle[1]]))
    far = (part**2).sum(axis=0)
    inside = (array[far <= 1 + edge] for edge in (-1e-9, 1e-9))
    return [{"mean": some.mean(), "deviation": some.std()} for some in inside if some.size]


def unit_of(original, frame):
    lut = next(groups_of(original, frame, "PixelValueTransformationSequence"), original)
    kind = lut.get("RescaleType") or ""
    return "[hnsf'U]" if kind == "HU" or (original.get("Modality") == "CT" and not kind) else "1"


def of_pixels(content, original, path, mark):
    """Judges the values of pixels among the content of a group."""
    got, unit = {}, unit_of(original, mark["frame"])
    for one in content:
        codes = [part.ConceptCodeSequence[0].CodeValue for part in one.ContentSequence if part.ValueType == "CODE"]
        number = one.MeasuredValueSequence[0]
        got[DERIVED[codes[0]] if codes else "mean"] = float(number.NumericValue)
        if number.MeasurementUnitsCodeSequence[0].CodeValue != unit:
            yield f"unit {number.MeasurementUnitsCodeSequence[0].CodeValue} instead of {unit}"
    wanted = values_under(original, path, mark)
    if wanted is None:
        return
    compared.append(mark)
    rounding = 1 if original.file_meta.get("TransferSyntaxUID") in LOSSY else 0
    near = lambda one, other: close(one, other) or abs(one - other) <= rounding
    if not any(one.keys() == got.keys() and all(near(got[key], one[key]) for key in one) for one in wanted):
        yield f"{got} instead of {wanted}"


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


def of_report(report, original, path, marks, frames):
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
        content, *pixels = group.ContentSequence[2:]
        comments = [one for one in pixels if one.ValueType == "TEXT"]
        pixels = [one for one in pixels if one.ValueType != "TEXT"]
        if [one.TextValue.startswith("Measured at the detector.") for one in comments] != [True] * at_detector(original, mark):
            yield f"{name}: {[one.TextValue for one in comments]}"
        wanted = measured(original, mark)
        if mark["kind"] == "probe" and "pixels" in mark:
            pixels = [content]
        if bool(pixels) != ("pixels" in mark):
            yield f"{name}: {len(pixels)} values of pixels"
        if pixels:
            yield from (f"{name}: {fault}" for fault in of_pixels(pixels, original, path, mark))
        if wanted:
            number = content.MeasuredValueSequence[0]
            got = (float(number.NumericValue), number.MeasurementUnitsCodeSequence[0].CodeValue)
            if got[1] != wanted[1] or not close(got[0], wanted[0]):
                yield f"{name}: {got} instead of {wanted}"
            if content.ConceptNameCodeSequence[0].CodeValue != CONCEPTS[mark["kind"]]:
                yield f"{name}: concept"
        elif not pixels and content.TextValue != mark.get("text", "Point"):
            yield f"{name}: {content.TextValue!r}"
        place = content.ContentSequence[-1]
        if place.GraphicType != TYPES[mark["kind"]] or not same(place.GraphicData, places(mark, original)):
            yield f"{name}: {place.GraphicType} {place.GraphicData} instead of {places(mark, original)}"
        if not refers(place.ContentSequence[0].ReferencedSOPSequence[0], original, mark["frame"], frames):
            yield f"{name}: another image or frame"


def rounded(value):
    value = round(value, 1 if abs(value) >= 100 else 2) + 0.0
    return f"{value:g}" if abs(value) < 1e5 else f"{value:.1f}".removesuffix(".0")


def said_of_pixels(mark, unit):
    """The words of the values of pixels beside a mark."""
    if "pixels" not in mark:
        return []
    said = {key: (rounded(value) + (" HU" if unit == "[hnsf'U]" else "")) for key, value in mark["pixels"].items()}
    return [f"Mean {said['mean']}, SD {said['deviation']}" if "deviation" in said else said["mean"]]


def of_state(state, original, _, marks, frames):
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
            if not wanted and not mark.get("text") and "pixels" not in mark:
                continue
            text = texts.pop(0)
            lines = text.UnformattedTextValue.split("\r\n")
            if lines[0].endswith(" at the detector") != at_detector(original, mark):
                yield f"{name}: {lines[0]}"
            said, _, unit = lines[0].removesuffix(" at the detector").partition(" ") if wanted else ("", "", "")
            rest = lines[1:] if wanted else lines
            if rest != said_of_pixels(mark, unit_of(original, frame)) + ([mark["text"]] if "text" in mark else []):
                yield f"{name}: {rest!r}"
            if not wanted:
                pass
            elif abs(float(said) - wanted[0]) > 0.051 or unit != wanted[1].replace("{pixels}", "px2" if mark["kind"] == "ellipse" else "px"):
                yield f"{name}: {text.UnformattedTextValue} instead of {wanted}"
            if not same(text.AnchorPoint, [value + 0.5 for value in mark["points"][-1]]):
                yield f"{name}: the text is elsewhere"
        if graphics or texts:
            yield f"frame {frame}: too many graphics or texts"


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
            for fault in [*judge(pydicom.dcmread(export), header, original, **layer), *(f"dciodvfy: {line}" for line in new)]:
                wrong += 1
                print(f"{export.name}: {fault}")
    print(f"{count['sr']} reports and {count['gsps']} presentation states judged, with the pixels under {len(compared)} marks, {wrong} faults, dciodvfy {USED}")
    sys.exit(1 if wrong or not count["sr"] or not compared else 0)


main(*sys.argv[1:])
