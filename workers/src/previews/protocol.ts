import type { Rendered } from './decode.js';
import type { Measurements } from './measure.js';

/** What may be asked of the process that decodes files. */
export interface Tasks {
  preview: Rendered;
  forModel: Rendered;
  measurements: Measurements;
}

export type TaskName = keyof Tasks;

export interface Task {
  name: TaskName;
  bytes: Uint8Array;
  contentType: string;
}

/** `unreadable` is an answer too: the file cannot be drawn, now or later. `rss` is how big the process has become. */
export type Answer = ({ result: Tasks[TaskName] } | { unreadable: true }) & { rss?: number };
