"""Stores, searches and reads files by DICOMweb with dicomweb-client, and compares everything with pydicom."""

import io
import os
import pathlib
import sys

import pydicom
import requests
from dicomweb_client.api import DICOMwebClient
from dicomweb_client.session_utils import create_session
from PIL import Image
from pydicom.encaps import generate_frames
from pydicom.uid import generate_uid
from requests.exceptions import HTTPError

URL = os.environ["LIGHTBOX_URL"] + "/dicom-web"
TOKEN = os.environ["LIGHTBOX_TOKEN"]
FILES = pathlib.Path(pydicom.__file__).parent / "data/test_files"
# Of several transfer syntaxes, with one frame and with many, and without pixels.
OTHERS = [
    "JPEG2000.dcm",
    "MR_small_implicit.dcm",
    "MR_small_RLE.dcm",
    "SC_rgb_jpeg_gdcm.dcm",
    "examples_ybr_color.dcm",
    "examples_palette.dcm",
    "MR_small_jpeg_ls_lossless.dcm",
    "SC_rgb_rle_2frame.dcm",
    "liver_1frame.dcm",
    "rtdose.dcm",
    "rtplan.dcm",
    "image_dfl.dcm",
    "test-SR.dcm",
]
faults = 0
compared = 0
planting = False


def check(what, same):
    global faults, compared
    compared += 1
    if not same:
        faults += 1
        if not planting:
            print(f"DIFFERENT: {what}")


def planted(what, work):
    """Runs a comparison with a planted fault, which must be reported as a difference."""
    global faults, planting
    before, planting = faults, True
    work()
    missed, faults, planting = faults == before, before, False
    check(f"planted and not reported: {what}", not missed)


def client(token):
    session = create_session()
    session.headers.update({"Authorization": f"Bearer {token}"})
    return DICOMwebClient(url=URL, session=session)


def written(ds):
    with io.BytesIO() as out:
        pydicom.dcmwrite(out, ds)
        return out.getvalue()


def study():
    """Five slices of a CT in two series, each with pixels of its own."""
    uid, series = generate_uid(), [generate_uid(), generate_uid()]
    for n in range(5):
        ds = pydicom.dcmread(FILES / "CT_small.dcm")
        ds.StudyInstanceUID, ds.SeriesInstanceUID = uid, series[n % 2]
        ds.SOPInstanceUID = ds.file_meta.MediaStorageSOPInstanceUID = generate_uid()
        ds.SeriesNumber, ds.InstanceNumber = n % 2 + 1, n + 1
        ds.StudyDate, ds.PatientName = "20240229", "Müller^Ännchen"
        ds.SpecificCharacterSet = "ISO_IR 100"
        ds.PixelData = bytes((b + n) % 256 if i % 2 == 0 else b for i, b in enumerate(ds.PixelData))
        yield ds


def frames_of(ds):
    count = int(ds.get("NumberOfFrames", 1))
    if ds.file_meta.TransferSyntaxUID.is_encapsulated:
        return list(generate_frames(ds.PixelData, number_of_frames=count))
    size = ds.Rows * ds.Columns * ds.SamplesPerPixel * ds.BitsAllocated // 8
    return [ds.PixelData[n * size : (n + 1) * size] for n in range(count)]


def plain(json):
    """The header without what an answer leaves out, and numbers in one form."""

    def value(v):
        # An empty value among others: pydicom has none, the standard has null.
        if v == "":
            return None
        if isinstance(v, dict) and ("vr" in v or not v):
            return element(v)
        if isinstance(v, dict):
            return {k: value(one) for k, one in v.items() if one not in (None, "")}
        if isinstance(v, str):
            try:
                return float(v)
            except ValueError:
                return v.strip()
        return float(v) if isinstance(v, (int, float)) else v

    def element(e):
        if "BulkDataURI" in e or "InlineBinary" in e:
            return {"vr": e["vr"], "binary": True}
        values = [value(v) if e["vr"] != "SQ" else dataset(v) for v in e.get("Value", [])]
        return {"vr": e["vr"], "values": values if any(v not in (None, {}) for v in values) or e["vr"] == "SQ" else []}

    def dataset(d):
        return {tag: element(e) for tag, e in d.items() if tag not in ("00080005", "00083002") and tag[4:] != "0000"}

    return dataset(json)


def compare_metadata(name, ds, got):
    known, shown = plain(ds.to_json_dict(bulk_data_threshold=1 << 30)), plain(got)
    # What follows the pixels is padding and signatures.
    known = {tag: e for tag, e in known.items() if tag <= "7FE00010"}
    wrong = [tag for tag in sorted({*known, *shown}) if known.get(tag) != shown.get(tag)]
    for tag in [] if planting else wrong[:5]:
        print(f"  {name} {tag}: {known.get(tag)} {shown.get(tag)}")
    check(f"{name}: {len(wrong)} elements of the header", not wrong)


def refused(work, status):
    try:
        work()
    except HTTPError as error:
        return error.response.status_code == status
    return False


web = client(TOKEN)
slices = list(study())
others = [pydicom.dcmread(FILES / name) for name in OTHERS]
for ds in others:
    # Files of this set share UIDs.
    ds.StudyInstanceUID, ds.SOPInstanceUID = generate_uid(), generate_uid()
    ds.SeriesInstanceUID = ds.get("SeriesInstanceUID") or generate_uid()
    ds.file_meta.MediaStorageSOPInstanceUID = ds.SOPInstanceUID
everything = slices + others

answer = web.store_instances(slices, slices[0].StudyInstanceUID)
check("stored slices", len(answer.ReferencedSOPSequence) == 5 and "FailedSOPSequence" not in answer)
answer = web.store_instances(others)
check("stored files", len(answer.ReferencedSOPSequence) == len(others) and "FailedSOPSequence" not in answer)
answer = web.store_instances(slices)
check("stored again", len(answer.ReferencedSOPSequence) == 5)
print(f"stored {len(everything)} files")

uid = slices[0].StudyInstanceUID
[found] = web.search_for_studies(search_filters={"StudyInstanceUID": uid})
check("numbers of the study", (found["00201206"]["Value"], found["00201208"]["Value"]) == ([2], [5]))
for filters in ({"PatientName": "müll*"}, {"StudyDate": "20240201-20240301"}, {"PatientID": slices[0].PatientID, "StudyDate": "20240229"}):
    rows = web.search_for_studies(search_filters=filters)
    check(f"search {filters}", [row["0020000D"]["Value"][0] for row in rows] == [uid])
check("no study", web.search_for_studies(search_filters={"PatientName": "Nobody"}) == [])
paged = web.search_for_studies(limit=3, get_remaining=True)
check("pages", {row["0020000D"]["Value"][0] for row in paged} >= {ds.StudyInstanceUID for ds in everything})
check("series", len(web.search_for_series(uid)) == 2)
rows = web.search_for_instances(uid)
check("instances", {row["00080018"]["Value"][0] for row in rows} == {ds.SOPInstanceUID for ds in slices})
rows = web.search_for_series(search_filters={"Modality": "RTPLAN"})
check("series of a modality", len(rows) == 1)
print(f"searched, {compared} comparisons")

back = {ds.SOPInstanceUID: ds for ds in web.retrieve_study(uid)}
check("files of the study", len(back) == 5)


def compare_bytes(what, got, ds):
    check(what, written(got) == written(ds))


for ds in slices:
    compare_bytes("a slice, bit for bit", back[ds.SOPInstanceUID], ds)
check("a series", len(web.retrieve_series(uid, slices[0].SeriesInstanceUID)) == 3)
headers = {one["00080018"]["Value"][0]: one for one in web.retrieve_study_metadata(uid)}
for ds in slices:
    compare_metadata("slice", ds, headers[ds.SOPInstanceUID])

for name, ds in zip(["CT_small.dcm", *OTHERS], [slices[0], *others]):
    ids = (ds.StudyInstanceUID, ds.SeriesInstanceUID, ds.SOPInstanceUID)
    compare_bytes(f"{name}, bit for bit", web.retrieve_instance(*ids), ds)
    address = "{}/studies/{}/series/{}/instances/{}".format(URL, *ids)
    sent = requests.get(address, headers={"Accept": "application/dicom", "Authorization": f"Bearer {TOKEN}"})
    check(f"{name}, bytes as sent", sent.content == written(ds))
    header = web.retrieve_instance_metadata(*ids)
    compare_metadata(name, ds, header)
    if "PixelData" not in ds:
        continue
    known = frames_of(ds)
    numbers = sorted({1, len(known) // 2 + 1, len(known)})
    got = web.retrieve_instance_frames(*ids, numbers)
    check(f"{name}, frames", [bytes(one) for one in got] == [known[n - 1] for n in numbers])
    encapsulated = ds.file_meta.TransferSyntaxUID.is_encapsulated
    bulk = web.retrieve_bulkdata(header["7FE00010"]["BulkDataURI"])
    check(f"{name}, bulk data", list(bulk) == known if encapsulated else b"".join(bulk) == b"".join(known))
    for kind in ("png", "jpeg"):
        picture = Image.open(io.BytesIO(web.retrieve_instance_rendered(*ids, media_types=(f"image/{kind}",))))
        check(f"{name}, rendered as {kind}", picture.format == kind.upper() and picture.size == (ds.Columns, ds.Rows))
    rendered = web.retrieve_instance_frames_rendered(*ids, [len(known)], media_types=("image/png",))
    check(f"{name}, rendered frame", Image.open(io.BytesIO(rendered)).size == (ds.Columns, ds.Rows))
print(f"read, {compared} comparisons")

ids = (uid, slices[0].SeriesInstanceUID, slices[0].SOPInstanceUID)
stranger = client(os.environ["LIGHTBOX_STRANGER"])
check("a stranger finds nothing", stranger.search_for_studies(search_filters={"StudyInstanceUID": uid}) == [])
check("a stranger reads nothing", refused(lambda: stranger.retrieve_instance(*ids), 404))
check("a stranger sees nothing", refused(lambda: stranger.retrieve_instance_rendered(*ids), 404))
check("a patient stores nothing", refused(lambda: stranger.store_instances(slices[:1]), 403))
check("no token", refused(lambda: client("lbx_wrong").search_for_studies(), 401))

# Each comparison reports a fault.
changed = pydicom.dcmread(io.BytesIO(written(slices[0])))
changed.PatientID = "planted"
planted("another element", lambda: compare_bytes("planted", web.retrieve_instance(*ids), changed))
planted("another header", lambda: compare_metadata("planted", changed, web.retrieve_instance_metadata(*ids)))
planted("the wrong slice", lambda: compare_bytes("planted", back[slices[1].SOPInstanceUID], slices[0]))
planted("a foreign study that opens", lambda: check("planted", refused(lambda: web.retrieve_instance(*ids), 404)))
planted("a wrong token that opens", lambda: check("planted", refused(lambda: web.search_for_studies(), 401)))
print(f"{compared} comparisons, {faults} differences")
sys.exit(1 if faults else 0)
