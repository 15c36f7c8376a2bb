import { type Acts, type Answered, type Asked, acts } from './reading';

type Settle = (answer: Answered) => void;

let worker: Worker | undefined;
let last = 0;
const waiting = new Map<number, Settle>();

function start(): Worker {
  const made = new Worker(new URL('./reader.worker.ts', import.meta.url), { type: 'module' });
  made.onmessage = ({ data }: MessageEvent<Answered>) => {
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  };
  made.onerror = () => {
    for (const [id, settle] of waiting) settle({ id, failed: 'WorkerError' });
    waiting.clear();
    worker = undefined;
  };
  return made;
}

/** Asks the worker. A browser without workers does the work in the page. */
function ask<A extends keyof Acts>(act: A, blob: Blob): ReturnType<Acts[A]> {
  if (typeof Worker === 'undefined') return acts[act](blob) as ReturnType<Acts[A]>;
  worker ??= start();
  const id = ++last;
  const answered = new Promise((resolve, reject) => {
    waiting.set(id, (answer) =>
      'failed' in answer ? reject(new DOMException('', answer.failed)) : resolve(answer.value),
    );
  });
  worker.postMessage({ id, act, blob } satisfies Asked);
  return answered as ReturnType<Acts[A]>;
}

/** Returns the kind of a file and its DICOM header, from its first bytes. */
export const headOf = (firstBytes: Blob) => ask('head', firstBytes);
/** Returns the SHA-256 of a file as hexadecimal digits. */
export const hashOf = (blob: Blob) => ask('hash', blob);

/** Ends the worker, which may still hold parts of files. */
export function stopReading() {
  worker?.terminate();
  worker = undefined;
  for (const [id, settle] of waiting) settle({ id, failed: 'AbortError' });
  waiting.clear();
}
