"""Draws DICOM files with pydicom, as a reference: python reference.py FILES OUT

Writes OUT/index.json, and for each file that pydicom can draw the values of its first and its middle frame as 32-bit
floats. Colours are RGB. Greys are values after the modality LUT, and once more after the VOI LUT or window.
"""
import json
import pathlib
import sys
import warnings

import numpy as np
from pydicom import dcmread
from pydicom.pixels import apply_color_lut, apply_modality_lut, apply_voi_lut

warnings.simplefilter('ignore')
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
                frame = apply_color_lut(frame, ds)
                frame = frame >> 8 if frame.dtype == np.uint16 else frame
            elif greys:
                frame = np.asarray(apply_modality_lut(frame, ds))
                shown = np.asarray(apply_voi_lut(frame, ds, index=0), dtype='<f4')
                (-shown if photometric == 'MONOCHROME1' else shown).tofile(out / f'{path.name}.{name}.shown')
            elif row['bits'] > 8:
                frame = frame >> (row['bits'] - 8)
            np.asarray(frame, dtype='<f4').tofile(out / f'{path.name}.{name}')
        row['drawn'] = True
    except Exception as error:  # pydicom raises many kinds of errors: each means that it cannot draw the file.
        row['why'] = type(error).__name__
(out / 'index.json').write_text(json.dumps(index))
