import { parentPort } from 'node:worker_threads';
import { type DicomHeader, readHeader } from './dicomHeader.js';
import type { Walked } from './dicomWalker.js';
import { FileRejected, type RejectionCode } from './rejected.js';

export type Inspected = { header: DicomHeader } | { rejected: { code: RejectionCode; message: string } };

parentPort?.on('message', (walked: Walked) => parentPort?.postMessage(inspect(walked)));
// Its modules are loaded: from now on the time that it takes is the file's.
parentPort?.postMessage('ready');

function inspect(walked: Walked): Inspected {
  try {
    return { header: readHeader({ ...walked, header: asBuffer(walked.header) }) };
  } catch (error) {
    const { code, message } =
      error instanceof FileRejected ? error : new FileRejected('UNREADABLE_FILE', 'Not a readable DICOM file.');
    return { rejected: { code, message } };
  }
}

/** Makes a Buffer of the Uint8Array as which a posted Buffer arrives. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
