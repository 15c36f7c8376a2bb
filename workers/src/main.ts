import { runProcess } from '@lightbox/core/runProcess.js';
import { startWorker } from './worker.js';

await runProcess(startWorker);
