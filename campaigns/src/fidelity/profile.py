"""Writes core/src/deidentify/profile.ts, the table of attributes that are de-identified.

    pip install dicom-anonymizer==2.1.0 pydicom==3.0.2
    python campaigns/src/fidelity/profile.py > core/src/deidentify/profile.ts

The rows are Table E.1-1 of DICOM PS3.15, edition 2026c, Basic Profile. They are taken from the lists of the package
dicom-anonymizer (Kitware Europe, BSD-3-Clause). The VRs and keywords are those of pydicom (MIT).
"""

from pydicom.datadict import dictionary_VR, keyword_for_tag
from dicomanonymizer.dicom_anonymization_databases import dicomfields_2026c as table

LISTS = {
    "D": table.D_TAGS,
    "Z": table.Z_TAGS,
    "X": table.X_TAGS,
    "U": table.U_TAGS,
    "Z/D": table.Z_D_TAGS,
    "X/Z": table.X_Z_TAGS,
    "X/D": table.X_D_TAGS,
    "X/Z/D": table.X_Z_D_TAGS,
    "X/Z/U*": table.X_Z_U_STAR_TAGS,
}


def described(tag):
    try:
        return dictionary_VR(tag).split(" ")[0], keyword_for_tag(tag)
    except KeyError:
        return "UN", ""


rows, repeating = [], []
for action, tags in LISTS.items():
    for tag in tags:
        number = tag[0] << 16 | tag[1]
        if len(tag) > 2:  # Group, element, mask of the group, mask of the element.
            mask = tag[2] << 16 | tag[3]
            vr, keyword = described(number)
            repeating.append(f"{number:08x} {mask:08x} {action} {vr} {keyword}".strip())
        else:
            vr, keyword = described(number)
            rows.append(f"{number:08x} {action} {vr} {keyword}".strip())

print("// Written by campaigns/src/fidelity/profile.py: change that script, not this file.")
print("// Table E.1-1 of DICOM PS3.15, edition 2026c, Basic Profile, from the lists of the Python package dicom-anonymizer 2.1.0")
print("// (Copyright 2020, Kitware Europe; BSD-3-Clause), with the VRs and keywords of pydicom.")
print()
print("/** One row for each attribute: tag, action, VR, keyword. */")
print("export const rows = `")
print("\n".join(sorted(rows)))
print("`;")
print()
print("/** The same for attributes of repeating groups: tag, mask, action, VR, keyword. */")
print("export const repeating = `")
print("\n".join(sorted(repeating)))
print("`;")
