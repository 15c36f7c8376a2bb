import { implementation } from '@lightbox/core/imaging/implementation.js';

interface Instance {
  sopClass: string;
  sopInstance: string;
  transferSyntax: string;
}

const META = 0x0002;

function element(number: number, vr: 'UI' | 'SH', text: string): Buffer {
  const padding = vr === 'UI' ? '\0' : ' ';
  const value = Buffer.from(text.length % 2 === 0 ? text : `${text}${padding}`, 'latin1');
  const header = Buffer.alloc(8);
  header.writeUInt16LE(META, 0);
  header.writeUInt16LE(number, 2);
  header.write(vr, 4, 'latin1');
  header.writeUInt16LE(value.length, 6);
  return Buffer.concat([header, value]);
}

/**
 * Returns the preamble and the file meta information (PS3.10 §7.1) that make a file of a data set. The same data set gets
 * the same header whoever sends it, so its repetition is the same file.
 */
export function fileHeader({ sopClass, sopInstance, transferSyntax }: Instance): Buffer {
  const version = Buffer.from([0x02, 0x00, 0x01, 0x00, 0x4f, 0x42, 0, 0, 2, 0, 0, 0, 0x00, 0x01]);
  const elements = Buffer.concat([
    version,
    element(0x0002, 'UI', sopClass),
    element(0x0003, 'UI', sopInstance),
    element(0x0010, 'UI', transferSyntax),
    element(0x0012, 'UI', implementation.classUid),
    element(0x0013, 'SH', implementation.versionName),
  ]);
  const length = Buffer.from([0x02, 0x00, 0x00, 0x00, 0x55, 0x4c, 4, 0, 0, 0, 0, 0]);
  length.writeUInt32LE(elements.length, 8);
  return Buffer.concat([Buffer.alloc(128), Buffer.from('DICM'), length, elements]);
}
