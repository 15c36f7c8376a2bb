/** The product as the writer of a DICOM file (PS3.7 §D.3.3.2, §D.3.3.2.4). */
export const implementation = {
  classUid: '2.25.190146285129465028469106482170463190812',
  versionName: 'LIGHTBOX',
} as const;
