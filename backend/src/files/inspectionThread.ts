import { parentPort } from 'node:worker_threads';
import { type DicomHeader, readDeflated, readHeader } from './dicomHeader.js';
import type { Walked } from './dicomWalker.js';
import { FileRejected, type RejectionCode } from './rejected.js';

export type Inspection = { walked: Walked } | { deflated: Uint8Array };
export type Inspected = { header: DicomHeader } | { rejected: { code: RejectionCode; message: string } };

parentPort?.on('message', (job: Inspection) => parentPort?.postMessage(inspect(job)));
// Its modules are loaded: from now on the time that it takes is the file's.
parentPort?.postMessage('ready');

function inspect(job: Inspection): Inspected {
  try {
    return { header: 'deflated' in job ? readDeflated(asBuffer(job.deflated)) : readHeader(revived(job.walked)) };
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

function revived(walked: Walked): Walked {
  return { ...walked, header: asBuffer(walked.header) };
}
