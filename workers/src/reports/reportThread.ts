import { parentPort, workerData } from 'node:worker_threads';
import { type ReportFacts, reportDocument } from './document.js';

parentPort?.postMessage(await reportDocument(workerData as ReportFacts));
