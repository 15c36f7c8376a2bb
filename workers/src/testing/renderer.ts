/** A script in place of the renderer: `onTask` is a statement that uses `header`, and `answer(header, body)` sends the answer. */
export const childScript = (onTask: string): string => `
  import { Socket } from 'node:net';
  const channel = new Socket({ fd: 3, readable: true, writable: true });
  const answer = (header, body = '') => {
    const [text, bytes] = [Buffer.from(JSON.stringify(header)), Buffer.from(body)];
    const lengths = Buffer.alloc(8);
    lengths.writeUInt32BE(text.length, 0);
    lengths.writeUInt32BE(bytes.length, 4);
    channel.write(Buffer.concat([lengths, text, bytes]));
  };
  const measured = { width: 1, height: 1, mean: 0, sd: 0, min: 0, max: 0, black: 0, white: 0, sharpness: 0, noise: 0,
    percentiles: { p1: 0, p5: 0, p50: 0, p95: 0, p99: 0 }, histogram: Array(16).fill(0), colour: false, values: null };
  const measurements = (bitDepth) => answer({ measurements: { ...measured, bitDepth } });
  answer({ ready: true });
  let data = Buffer.alloc(0);
  channel.on('data', (part) => {
    // A task may arrive in parts.
    data = Buffer.concat([data, part]);
    const end = data.length < 8 ? Infinity : 8 + data.readUInt32BE(0) + data.readUInt32BE(4);
    if (data.length < end) return;
    const header = JSON.parse(data.toString('utf8', 8, 8 + data.readUInt32BE(0)));
    data = data.subarray(end);
    ${onTask}
  });`;
