"""Draws DICOM files with pydicom, as a reference: python reference.py FILES OUT

Writes OUT/index.json, and for each file that pydicom can draw the values of its first and its middle frame as 32-bit
floats. Colours are RGB. Greys are values after the modality LUT, and once more after the VOI LUT or window.

Corrected here: pydicom looks for slope and window in the data set alone, and an enhanced file has them in its functional
groups. It reads the palette of a big-endian file as if it were little-endian.
"""
import json
import pathlib
import sys
import warnings

import numpy as np
from pydicom import Dataset, dcmread
from pydicom.pixels import apply_color_lut, apply_modality_lut, apply_voi_lut

warnings.simplefilter('ignore')
GROUPS = ('PixelValueTransformationSequence', 'FrameVOILUTSequence')
PALETTE = [f'{colour}PaletteColorLookupTableData' for colour in ('Red', 'Green', 'Blue')]


def of_frame(ds, at):
    """The attributes of the frame `at` that the LUTs need, also out of the functional groups of an enhanced file."""
    found = Dataset()
    found.update({element.tag: element for element in ds if element.tag.group == 0x0028 and element.VR != 'SQ'})
    for group in ('ModalityLUTSequence', 'VOILUTSequence'):
        if group in ds:
            found[group] = ds[group]
    per_frame = ds.get('PerFrameFunctionalGroupsSequence') or []
    for groups in (*(ds.get('SharedFunctionalGroupsSequence') or []), *per_frame[at:at + 1]):
        for group in GROUPS:
            for item in groups.get(group) or []:
                found.update(item)
    return found


def in_order_of_this_machine(ds):
    for keyword in PALETTE:
        if ds.file_meta.TransferSyntaxUID == '1.2.840.10008.1.2.2' and ds.get(keyword):
            ds[keyword].value = np.frombuffer(ds[keyword].value, '>u2').astype('<u2').tobytes()


folder, out = map(pathlib.Path, sys.argv[1:3])
out.mkdir(parents=True, exist_ok=True)
index = []
for path in sorted(folder.iterdir()):
    if not path.is_file():
        continue
    row = {'name': path.name, 'drawn': False}
    index.append(row)
    try:
        ds = dcmread(path)
        pixels = ds.pixel_array
        count = int(ds.get('NumberOfFrames', 1) or 1)
        frames = pixels if count > 1 else pixels[np.newaxis]
        photometric = str(ds.PhotometricInterpretation)
        greys = frames.ndim == 3 and photometric != 'PALETTE COLOR'
        row |= {'rows': frames.shape[1], 'columns': frames.shape[2], 'frames': count, 'samples': 1 if greys else 3}
        row['bits'] = int(ds.BitsStored)
        for name, at in (('first', 0), ('middle', (count - 1) // 2)):
            frame = frames[at]
            if photometric == 'PALETTE COLOR':
                if name == 'first':
                    in_order_of_this_machine(ds)
                frame = apply_color_lut(frame, ds)
                frame = frame >> 8 if frame.dtype == np.uint16 else frame
            elif greys:
                values = of_frame(ds, at)
                frame = np.asarray(apply_modality_lut(frame, values))
                shown = np.asarray(apply_voi_lut(frame, values, index=0), dtype='<f4')
                (-shown if photometric == 'MONOCHROME1' else shown).tofile(out / f'{path.name}.{name}.shown')
            elif row['bits'] > 8:
                frame = frame >> (row['bits'] - 8)
            np.asarray(frame, dtype='<f4').tofile(out / f'{path.name}.{name}')
        row['drawn'] = True
    except Exception as error:  # pydicom raises many kinds of errors: each means that it cannot draw the file.
        row['why'] = type(error).__name__
(out / 'index.json').write_text(json.dumps(index))
