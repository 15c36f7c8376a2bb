/** Boxes of an MP4 file that hold other boxes, as far as a recording has them (ISO/IEC 14496-12). */
const masters = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'mvex', 'moof', 'traf']);
/** Boxes that a recorder writes beside them. A file with any other one is refused. */
const known = new Set([
  ...['ftyp', 'styp', 'mdat', 'free', 'skip', 'wide', 'mvhd', 'tkhd', 'edts', 'mdhd', 'hdlr', 'smhd', 'dinf', 'stsd'],
  ...['stts', 'stsc', 'stsz', 'stco', 'co64', 'sgpd', 'sbgp', 'ctts', 'stss', 'mehd', 'trex', 'mfhd', 'tfhd', 'tfdt'],
  ...['trun', 'sidx', 'mfra', 'udta', 'meta', 'uuid', 'iods', 'nmhd', 'subs', 'saiz', 'saio', 'tref'],
]);
const codecs = new Set(['mp4a', 'Opus']);
/** Fields of a run of samples that are there when their flag is. */
const SAMPLE_DURATION = 0x100;
const SAMPLE_FIELDS = [SAMPLE_DURATION, 0x200, 0x400, 0x800];

interface Box {
  type: string;
  body: Buffer;
}

/** Boxes stand in each other no deeper than this. */
const MAX_DEPTH = 8;

/** Yields the boxes of a file, and after each master box those inside it. Throws when one is beyond the end. */
function* boxes(bytes: Buffer, depth = 0): Generator<Box> {
  if (depth === MAX_DEPTH) throw new RangeError('The boxes stand too deep in each other.');
  for (let at = 0; at < bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const [header, length] =
      size === 1 ? [16, Number(bytes.readBigUInt64BE(at + 8))] : [8, size === 0 ? bytes.length - at : size];
    if (length < header || at + length > bytes.length) throw new RangeError('A box ends beyond the file.');
    const body = bytes.subarray(at + header, at + length);
    yield { type, body };
    if (masters.has(type)) yield* boxes(body, depth + 1);
    at += length;
  }
}

const isVersion1 = (body: Buffer): boolean => body.readUInt8(0) === 1;
const flagsOf = (body: Buffer): number => body.readUIntBE(1, 3);
/** Reads time scale and duration of a media header. */
const timesOf = (body: Buffer) =>
  isVersion1(body)
    ? { scale: body.readUInt32BE(20), duration: Number(body.readBigUInt64BE(24)) }
    : { scale: body.readUInt32BE(12), duration: body.readUInt32BE(16) };

/** Returns the duration that each sample of a fragment has unless its run says otherwise; 0 when there is none. */
function defaultOf(tfhd: Buffer): number {
  const flags = flagsOf(tfhd);
  if (!(flags & 0x8)) return 0;
  return tfhd.readUInt32BE(8 + (flags & 0x1 ? 8 : 0) + (flags & 0x2 ? 4 : 0));
}

/** Adds the durations of the samples of a run. */
function durationOf(trun: Buffer, each: number): number {
  const flags = flagsOf(trun);
  const samples = trun.readUInt32BE(4);
  if (!(flags & SAMPLE_DURATION)) return samples * each;
  const step = 4 * SAMPLE_FIELDS.filter((field) => flags & field).length;
  let at = 8 + (flags & 0x1 ? 4 : 0) + (flags & 0x4 ? 4 : 0);
  let sum = 0;
  for (let n = 0; n < samples; n++, at += step) sum += trun.readUInt32BE(at);
  return sum;
}

/**
 * Reads the length of an MP4 recording in seconds, whole or in fragments. Null when the bytes are anything else than
 * one track of AAC or Opus sound, without a gap up to the last byte.
 */
export function mp4Seconds(bytes: Buffer): number | null {
  if (bytes.length < 16 || bytes.toString('latin1', 4, 8) !== 'ftyp') return null;
  try {
    return read(bytes);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function read(bytes: Buffer): number | null {
  let tracks = 0;
  let handler = '';
  let codec = '';
  let header = { scale: 0, duration: 0 };
  let each = 0;
  let fallback = 0;
  let fragments = 0;
  const readers: Record<string, (body: Buffer) => void> = {
    trak: () => tracks++,
    hdlr: (body) => {
      handler = body.toString('latin1', 8, 12);
    },
    mdhd: (body) => {
      header = timesOf(body);
    },
    stsd: (body) => {
      codec = body.readUInt32BE(4) === 1 ? body.toString('latin1', 12, 16) : '';
    },
    trex: (body) => {
      fallback = body.readUInt32BE(12);
    },
    tfhd: (body) => {
      each = defaultOf(body) || fallback;
    },
    trun: (body) => {
      fragments += durationOf(body, each);
    },
  };
  for (const { type, body } of boxes(bytes)) {
    if (!masters.has(type) && !known.has(type)) return null;
    readers[type]?.(body);
  }
  const seconds = (header.duration + fragments) / header.scale;
  const isRecording = tracks === 1 && handler === 'soun' && codecs.has(codec);
  return isRecording && Number.isFinite(seconds) && seconds > 0 ? seconds : null;
}
