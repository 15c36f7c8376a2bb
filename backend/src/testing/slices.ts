import { dicomPicture, element } from '@lightbox/testkit/part10.js';

export interface Slice {
  study: string;
  series?: string;
  /** Series number. */
  number?: number;
  /** Series description. */
  description?: string;
  instance?: number;
  /** Position along the patient's axis, in millimetres. */
  z?: number;
  patientName?: string;
}

/** Returns one slice of a CT. Elements are in the order of their tags, as the standard has them. */
export function slice({ study, series = `${study}.1`, number, description, instance, z, patientName }: Slice): Buffer {
  const given = (tag: number, vr: string, value: string | number | undefined) =>
    value === undefined ? [] : [element(tag, vr, String(value))];
  return dicomPicture(
    {},
    Buffer.concat([
      ...given(0x0008103e, 'LO', description),
      ...given(0x00100010, 'PN', patientName),
      element(0x0020000d, 'UI', study),
      element(0x0020000e, 'UI', series),
      ...given(0x00200011, 'IS', number),
      ...given(0x00200013, 'IS', instance),
      ...(z === undefined
        ? []
        : [element(0x00200032, 'DS', `0\\0\\${z}`), element(0x00200037, 'DS', '1\\0\\0\\0\\1\\0')]),
    ]),
  );
}
