import { deflateRawSync, deflateSync } from 'node:zlib';
import {
  bare,
  dicomPicture,
  element,
  imageModule,
  item,
  itemEnd,
  partTen,
  picture,
  sequenceEnd,
  syntaxes,
  UNDEFINED,
} from './part10.js';

const PREFIX = Buffer.concat([Buffer.alloc(128), Buffer.from('DICM')]);
const pixels = element(0x7fe00010, 'OW', picture().pixels);
const body = Buffer.concat([imageModule(picture()), pixels]);
const whole = dicomPicture();
const uid = (syntax: string) => element(0x00020010, 'UI', syntax);
const withGroupLength = (length: number) => Buffer.concat([PREFIX, element(0x00020000, 'UL', length)]);

/** Returns an explicit big endian element: PS3.5 §7.3. */
function big(tag: number, vr: string, value: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt16BE(tag >>> 16, 0);
  header.writeUInt16BE(tag & 0xffff, 2);
  header.write(vr, 4, 'latin1');
  header.writeUInt16BE(value.length, 6);
  return Buffer.concat([header, value]);
}
const bigBody = Buffer.concat([big(0x00080060, 'CS', Buffer.from('MR')), big(0x00280010, 'US', Buffer.from([0, 16]))]);

function overwritten(at: number, bytes: Buffer | string): Buffer {
  const out = Buffer.from(whole);
  out.set(Buffer.from(bytes as string, 'latin1'), at);
  return out;
}
const positionOf = (tag: number[]) => whole.indexOf(Buffer.from(tag));

/**
 * Files with one fault each, as scanners, archives and incomplete copies produce them and public collections of damaged DICOM
 * files contain them. They are made here, so that the bytes are the same everywhere and none is a patient's picture.
 */
export const damagedDicom: Record<string, Buffer> = {
  'without preamble and prefix': whole.subarray(132),
  'without preamble': whole.subarray(128),
  'with a prefix in small letters': overwritten(128, 'dicm'),
  'that ends behind its prefix': PREFIX,
  'that ends in its meta header': whole.subarray(0, 150),
  'without a meta header': Buffer.concat([PREFIX, body]),
  'without a meta header, implicit': Buffer.concat([PREFIX, bare(0x00080060, Buffer.from('MR'))]),
  'without a meta header, big endian': Buffer.concat([PREFIX, bigBody]),
  'without a group length': Buffer.concat([PREFIX, uid(syntaxes.explicit), body]),
  'without a transfer syntax': Buffer.concat([
    withGroupLength(18),
    element(0x00020012, 'UI', '2.25.1'),
    element(0x00020013, 'SH', 'X'),
    body,
  ]),
  'with an empty transfer syntax': partTen(body, ''),
  'with two transfer syntaxes': Buffer.concat([PREFIX, uid(syntaxes.explicit), uid(syntaxes.implicit), body]),
  'with a group length of 0': Buffer.concat([withGroupLength(0), uid(syntaxes.explicit), body]),
  'with a group length of 4 GB': Buffer.concat([withGroupLength(0xfffffffe), uid(syntaxes.explicit), body]),
  'that says implicit and is explicit': partTen(body, syntaxes.implicit),
  'that says explicit and is implicit': partTen(bare(0x00080060, Buffer.from('MR'))),
  'that says big endian and is little': partTen(body, syntaxes.big),
  'that says little endian and is big': partTen(bigBody),
  'that says deflated and is not': partTen(body, syntaxes.deflated),
  'that is deflated and does not say so': partTen(deflateRawSync(body)),
  'deflated with a zlib header': partTen(deflateSync(body), syntaxes.deflated),
  'deflated and cut': partTen(deflateRawSync(body).subarray(0, -7), syntaxes.deflated),
  'deflated, with rubbish behind it': partTen(
    Buffer.concat([deflateRawSync(body), Buffer.from('rubbish')]),
    syntaxes.deflated,
  ),
  'that says JPEG and is native': partTen(body, syntaxes.jpegBaseline),
  'cut in its pixels': whole.subarray(0, -100),
  'cut in a tag': whole.subarray(0, positionOf([0x28, 0, 0x10, 0]) + 2),
  'cut in a length': whole.subarray(0, positionOf([0x28, 0, 0x10, 0]) + 7),
  'that ends before its pixels': partTen(imageModule(picture())),
  'with pixels of undefined length that never end': partTen(
    Buffer.concat([imageModule(picture()), element(0x7fe00010, 'OB', picture().pixels, UNDEFINED)]),
    syntaxes.jpegBaseline,
  ),
  'with an unknown VR': overwritten(positionOf([8, 0, 0x60, 0]) + 4, 'QQ'),
  'with a VR of zeros': overwritten(positionOf([8, 0, 0x60, 0]) + 4, '\0\0'),
  'with a VR of blanks': overwritten(positionOf([8, 0, 0x60, 0]) + 4, '  '),
  'with an odd length': dicomPicture({}, element(0x00091010, 'LO', Buffer.from('odd'))),
  'with its elements out of order': partTen(Buffer.concat([pixels, imageModule(picture())])),
  'with an element twice': dicomPicture(
    {},
    Buffer.concat([element(0x00091010, 'LO', 'a'), element(0x00091010, 'LO', 'b')]),
  ),
  'with its rows twice, differing': partTen(
    Buffer.concat([imageModule(picture()), element(0x00280010, 'US', 9999), pixels]),
  ),
  'with a sequence that is longer than its items': dicomPicture(
    {},
    element(0x00091010, 'SQ', Buffer.concat([item(element(0x00091011, 'LO', 'x')), Buffer.alloc(4)])),
  ),
  'with a sequence that never ends': dicomPicture({}, element(0x00091010, 'SQ', item(Buffer.alloc(0)), UNDEFINED)),
  'with an item that never ends': dicomPicture(
    {},
    Buffer.concat([
      element(0x00091010, 'SQ', Buffer.alloc(0), UNDEFINED),
      item(element(0x00091011, 'LO', 'x'), UNDEFINED),
      sequenceEnd(),
    ]),
  ),
  'with delimiters where none belong': dicomPicture({}, Buffer.concat([itemEnd(), sequenceEnd()])),
  'with a private sequence as UN': dicomPicture(
    {},
    Buffer.concat([
      element(0x00091010, 'UN', Buffer.alloc(0), UNDEFINED),
      item(bare(0x00091011, Buffer.from('xx')), UNDEFINED),
      itemEnd(),
      sequenceEnd(),
    ]),
  ),
  'with letters of no character set': dicomPicture({}, element(0x00090010, 'LO', Buffer.from('M\xfcller', 'latin1'))),
  'with numbers that are words': dicomPicture({ frames: 'NaN' }),
  'with a minus in its frames': dicomPicture({ frames: '-1' }),
  'of one frame that says two': dicomPicture({ frames: '2' }),
  'with blanks behind it': Buffer.concat([whole, Buffer.from('   \n')]),
  'twice in one': Buffer.concat([whole, whole]),
};
