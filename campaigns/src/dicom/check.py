"""Sends files with DCMTK and pynetdicom, and compares what is stored with what was sent."""

import io
import os
import pathlib
import ssl
import subprocess
import sys
import tempfile

import pydicom
import requests
from pydicom.uid import generate_uid
from pynetdicom import AE

URL, TOKEN = os.environ["LIGHTBOX_URL"], os.environ["LIGHTBOX_TOKEN"]
PORT, CERTIFICATES = os.environ["DICOM_PORT"], os.environ["DICOM_CERTIFICATES"]
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
    "MR_small_bigendian.dcm",
    "SC_rgb_rle_2frame.dcm",
    "liver_1frame.dcm",
    "rtdose.dcm",
    "rtplan.dcm",
    "test-SR.dcm",
]
SLICES = 108
# Data Set Trailing Padding (PS3.10 section 7.2).
PADDING = 0xFFFCFFFC
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


def program(name, *args):
    if CERTIFICATES:
        files = [f"{CERTIFICATES}/{one}" for one in ("device.key", "device.pem", "ca.pem")]
        args = ("+tls", *files[:2], "+cf", files[2], *args)
    return subprocess.run([name, *args], capture_output=True).returncode


def dcmtk(name, *args, calling="STORESCU", called="LIGHTBOX"):
    return program(name, "-aet", calling, "-aec", called, "localhost", PORT, *args)


def renamed(path, study, series, number):
    ds = pydicom.dcmread(path)
    ds.StudyInstanceUID, ds.SeriesInstanceUID = study, series
    ds.SOPInstanceUID = ds.file_meta.MediaStorageSOPInstanceUID = generate_uid()
    ds.InstanceNumber = number
    return ds


def data_set(content):
    """The bytes behind the file meta information."""
    at = 132 + 12 + int.from_bytes(content[140:144], "little")
    return content[at:]


def stored(ds):
    path = f"/studies/{ds.StudyInstanceUID}/series/{ds.SeriesInstanceUID}/instances/{ds.SOPInstanceUID}"
    headers = {"Authorization": f"Bearer {TOKEN}", "Accept": "application/dicom"}
    answer = requests.get(f"{URL}/dicom-web{path}", headers=headers, timeout=60)
    return answer.content if answer.status_code == 200 else None


def compare(name, ds, sent):
    got = stored(ds)
    if got is None:
        return check(f"{name} is not stored", False)
    check(f"{name}: bytes of the data set", data_set(got) == sent)
    back = pydicom.dcmread(io.BytesIO(got))
    check(f"{name}: elements", back == ds)
    check(f"{name}: transfer syntax", back.file_meta.TransferSyntaxUID == ds.file_meta.TransferSyntaxUID)


def written(ds):
    with io.BytesIO() as out:
        pydicom.dcmwrite(out, ds, enforce_file_format=True)
        return out.getvalue()


study, series = generate_uid(), generate_uid()
slices = [renamed(FILES / "CT_small.dcm", study, series, n + 1) for n in range(SLICES)]
others = [renamed(FILES / name, generate_uid(), generate_uid(), 1) for name in OTHERS]

check("echo", dcmtk("echoscu") == 0)
check("echo of a stranger", dcmtk("echoscu", calling="NOBODY") != 0)
check("echo to another receiver", dcmtk("echoscu", called="OTHER") != 0)
if CERTIFICATES:
    alone = subprocess.run(["echoscu", "-aet", "STORESCU", "-aec", "LIGHTBOX", "localhost", PORT], capture_output=True)
    check("echo without TLS", alone.returncode != 0)
    anonymous = ["echoscu", "+tla", "+cf", f"{CERTIFICATES}/ca.pem", "-aet", "STORESCU", "-aec", "LIGHTBOX"]
    check("echo without a certificate", subprocess.run([*anonymous, "localhost", PORT], capture_output=True).returncode != 0)

with tempfile.TemporaryDirectory() as folder:
    for n, ds in enumerate(slices):
        pathlib.Path(folder, f"{n}.dcm").write_bytes(written(ds))
    check("storescu", dcmtk("storescu", "+sd", folder) == 0)
    check("storescu again", dcmtk("storescu", "+sd", folder) == 0)
for n, ds in enumerate(slices):
    # storescu sends no padding behind the pixels, and writes sequences as it likes: elements are compared, and not bytes.
    got = stored(ds)
    back = pydicom.dcmread(io.BytesIO(got)) if got else pydicom.Dataset()
    wrong = [one.tag for one in ds if one.tag != PADDING and back.get(one.tag) != one]
    if wrong:
        print(f"  {n}: {wrong[:5]}")
    check(f"slice {n}: elements", not wrong and len(back) == len([one for one in ds if one.tag != PADDING]))
print(f"storescu: {SLICES} slices")


def associate(files):
    ae = AE(ae_title="PYNETDICOM")
    for ds in {(one.SOPClassUID, one.file_meta.TransferSyntaxUID): one for one in files}.values():
        ae.add_requested_context(ds.SOPClassUID, ds.file_meta.TransferSyntaxUID)
    secure = {}
    if CERTIFICATES:
        context = ssl.create_default_context(cafile=f"{CERTIFICATES}/ca.pem")
        context.check_hostname = False
        context.load_cert_chain(f"{CERTIFICATES}/device.pem", f"{CERTIFICATES}/device.key")
        secure = {"tls_args": (context, "localhost")}
    return ae.associate("127.0.0.1", int(PORT), ae_title="LIGHTBOX", **secure)


more = [renamed(FILES / "CT_small.dcm", generate_uid(), generate_uid(), 1) for _ in range(3)]
sent = {}
association = associate(others + more)
check("association", association.is_established)
for ds in others + more:
    # pynetdicom encodes the data set of the message in the same way as it writes a file.
    sent[ds.SOPInstanceUID] = data_set(written(ds))
    check(f"status of {ds.SOPClassUID.name}", association.send_c_store(ds).Status == 0)
    check("status of a repetition", association.send_c_store(ds).Status == 0)
association.release()
for name, ds in zip([*OTHERS, "CT", "CT", "CT"], others + more):
    compare(name, ds, sent[ds.SOPInstanceUID])
print(f"pynetdicom: {len(others + more)} files")

headers = {"Authorization": f"Bearer {TOKEN}"}
cards = requests.get(f"{URL}/api/upload/my-images?grouped=true&limit=100", headers=headers, timeout=60).json()["data"]
check("the owner sees the study", any(card.get("study", {}).get("imageCount") == SLICES for card in cards))

# Each comparison reports a fault.
one = more[0]
changed = bytearray(sent[one.SOPInstanceUID])
changed[-1] ^= 1
planted("another byte", lambda: compare("planted", one, bytes(changed)))
other = renamed(FILES / "CT_small.dcm", one.StudyInstanceUID, one.SeriesInstanceUID, 1)
planted("a file that was never sent", lambda: compare("planted", other, sent[one.SOPInstanceUID]))
named = renamed(FILES / "CT_small.dcm", one.StudyInstanceUID, one.SeriesInstanceUID, 1)
named.SOPInstanceUID = one.SOPInstanceUID
named.PatientID = "planted"
planted("another element", lambda: compare("planted", named, sent[one.SOPInstanceUID]))
planted("a stranger who may call", lambda: check("planted", dcmtk("echoscu", calling="NOBODY") == 0))
print(f"{compared} comparisons, {faults} differences")
sys.exit(1 if faults else 0)
