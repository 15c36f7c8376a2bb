import { runProcess } from '@lightbox/core/process/runProcess.js';
import { startWorker } from './worker.js';

await runProcess('worker', startWorker);
