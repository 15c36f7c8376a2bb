"""Lets Orthanc push a study by STOW-RS, find it by QIDO-RS and fetch it back by WADO-RS, with a personal token."""

import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import pydicom
import requests
from pydicom.uid import generate_uid

SLICES = 30
PORT = int(os.environ["ORTHANC_PORT"])
ORTHANC = f"http://127.0.0.1:{PORT}"
FILES = pathlib.Path(pydicom.__file__).parent / "data/test_files"
faults = 0


def check(what, same):
    global faults
    print(f"{'yes' if same else 'NO '}  {what}")
    faults += not same


def configuration(folder):
    return {
        "Name": "Archive",
        "StorageDirectory": folder,
        "IndexDirectory": folder,
        "HttpPort": PORT,
        "DicomServerEnabled": False,
        "RemoteAccessAllowed": False,
        "AuthenticationEnabled": False,
        "HttpTimeout": 120,
        "Plugins": [os.environ["ORTHANC_DICOMWEB"]],
        "DicomWeb": {
            "Enable": True,
            "Servers": {
                "lightbox": {
                    "Url": os.environ["LIGHTBOX_URL"] + "/dicom-web/",
                    "HttpHeaders": {"Authorization": "Bearer " + os.environ["LIGHTBOX_TOKEN"]},
                }
            },
        },
    }


def wait():
    for _ in range(300):
        try:
            return requests.get(ORTHANC + "/system", timeout=5).json()["Version"]
        except requests.exceptions.ConnectionError:
            time.sleep(0.2)
    raise SystemExit("Orthanc did not start.")


def slices():
    uid, series = generate_uid(), generate_uid()
    for n in range(SLICES):
        ds = pydicom.dcmread(FILES / "CT_small.dcm")
        ds.StudyInstanceUID, ds.SeriesInstanceUID, ds.InstanceNumber = uid, series, n + 1
        ds.SOPInstanceUID = ds.file_meta.MediaStorageSOPInstanceUID = generate_uid()
        with io.BytesIO() as out:
            pydicom.dcmwrite(out, ds)
            yield ds.SOPInstanceUID, out.getvalue()


def post(path, body):
    answer = requests.post(ORTHANC + path, json=body, timeout=120)
    return answer.status_code, answer.json() if answer.ok else answer.text


def run():
    sent = dict(slices())
    for one in sent.values():
        requests.post(ORTHANC + "/instances", data=one, timeout=30).raise_for_status()
    [study] = requests.get(ORTHANC + "/studies", timeout=30).json()
    uid = requests.get(f"{ORTHANC}/studies/{study}", timeout=30).json()["MainDicomTags"]["StudyInstanceUID"]
    server = "/dicom-web/servers/lightbox"
    status, said = post(server + "/stow", {"Resources": [study]})
    check(f"Orthanc pushes {SLICES} files by STOW-RS ({status})", status == 200)
    status, rows = post(server + "/qido", {"Uri": "/studies", "Arguments": {"StudyInstanceUID": uid}})
    # This version of Orthanc leaves numbers out of what it shows.
    found = [row["0020000D"]["Value"] for row in rows] if status == 200 else rows
    check(f"Orthanc finds their study by QIDO-RS ({status})", found == [uid])
    requests.delete(f"{ORTHANC}/studies/{study}", timeout=30).raise_for_status()
    status, said = post(server + "/retrieve", {"Resources": [{"Study": uid}]})
    back = {}
    for one in requests.get(ORTHANC + "/instances", timeout=30).json():
        file = requests.get(f"{ORTHANC}/instances/{one}/file", timeout=30).content
        back[pydicom.dcmread(io.BytesIO(file), stop_before_pixels=True).SOPInstanceUID] = file
    check(f"Orthanc fetches them back by WADO-RS, bit for bit ({status}, {len(back)})", back == sent)


with tempfile.TemporaryDirectory() as folder:
    config = pathlib.Path(folder) / "orthanc.json"
    config.write_text(json.dumps(configuration(folder)))
    log = (pathlib.Path(folder) / "log").open("w")
    orthanc = subprocess.Popen([os.environ["ORTHANC"], str(config)], stdout=log, stderr=subprocess.STDOUT)
    try:
        print(f"Orthanc {wait()}")
        run()
        if faults:
            print((pathlib.Path(folder) / "log").read_text()[-3000:])
    finally:
        orthanc.terminate()
        orthanc.wait()
sys.exit(1 if faults else 0)
