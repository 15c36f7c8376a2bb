/** Elements of Matroska that a recorder writes, by their id (RFC 9559). */
const ids = {
  ebml: 0x1a45dfa3,
  docType: 0x4282,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackType: 0x83,
  codecId: 0x86,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
};
const masters = new Set([ids.ebml, ids.segment, ids.info, ids.tracks, ids.trackEntry, ids.cluster, ids.blockGroup]);
/** Elements that hold other files or scripts, and no sound: attachments, chapters. */
const refused = new Set([0x1941a469, 0x1043a770]);
const AUDIO = 2;

/** Reads the number of a size or id, of one to eight bytes. Null when it is malformed or beyond the end. */
function variable(bytes: Buffer, at: number, keepMarker: boolean): { value: number; length: number } | null {
  const first = bytes[at];
  if (first === undefined || first === 0) return null;
  const length = Math.clz32(first) - 23;
  if (at + length > bytes.length) return null;
  let value = keepMarker ? first : first & (0xff >> length);
  let ones = (first & (0xff >> length)) === 0xff >> length;
  for (let i = 1; i < length; i++) {
    const byte = bytes[at + i] as number;
    value = value * 256 + byte;
    ones &&= byte === 0xff;
  }
  // All bits set: the size is unknown, as a recorder writes it that does not know the end yet.
  return { value: !keepMarker && ones ? Number.POSITIVE_INFINITY : value, length };
}

const unsigned = (bytes: Buffer): number => (bytes.length <= 6 ? bytes.readUIntBE(0, bytes.length) : Number.NaN);

/**
 * Reads the length of a WebM recording in seconds: its last block. Null when the bytes are anything else than one
 * track of Opus sound, without a gap up to the last byte.
 */
export function webmSeconds(bytes: Buffer): number | null {
  if (bytes.length < 4 || bytes.readUInt32BE(0) !== ids.ebml) return null;
  let docType = '';
  let codec = '';
  let tracks = 0;
  let isAudio = false;
  let scale = 1_000_000;
  let cluster = 0;
  let last = -1;
  const readers: Record<number, (value: Buffer) => void> = {
    [ids.docType]: (value) => {
      docType = value.toString('latin1');
    },
    [ids.timestampScale]: (value) => {
      scale = unsigned(value);
    },
    [ids.trackType]: (value) => {
      isAudio = unsigned(value) === AUDIO;
    },
    [ids.codecId]: (value) => {
      codec = value.toString('latin1');
    },
    [ids.timestamp]: (value) => {
      cluster = unsigned(value);
    },
    [ids.simpleBlock]: readBlock,
    [ids.block]: readBlock,
  };
  function readBlock(value: Buffer): void {
    const track = variable(value, 0, false);
    if (track && value.length >= track.length + 3) last = Math.max(last, cluster + value.readInt16BE(track.length));
  }
  for (let at = 0; at < bytes.length; ) {
    const id = variable(bytes, at, true);
    const size = id && variable(bytes, at + id.length, false);
    if (!id || !size || refused.has(id.value)) return null;
    if (id.value === ids.trackEntry) tracks++;
    const start = at + id.length + size.length;
    // The parts of a master element follow it, so a master of unknown size needs no end.
    if (masters.has(id.value)) {
      at = start;
      continue;
    }
    if (start + size.value > bytes.length) return null;
    if (size.value > 0) readers[id.value]?.(bytes.subarray(start, start + size.value));
    at = start + size.value;
  }
  const seconds = (last * scale) / 1e9;
  const isRecording = docType === 'webm' && tracks === 1 && isAudio && codec === 'A_OPUS' && last >= 0;
  return isRecording && Number.isFinite(seconds) ? seconds : null;
}
