// `npm run evaluate -- --labels labels.csv FOLDER [--provider local|openai|onnx] [--threshold 0.5] [--out report]`: the
// figures of an analysis provider on the clinic's own labelled files. Writes report.md and report.json. It needs no
// database. The settings are those of .env.example. See docs/analysis-providers.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { closeInspectors } from '@lightbox/backend/files/inspectionPool.js';
import { ConfigError, loadAiConfig } from '@lightbox/core/config/env.js';
import { selectProvider } from '@lightbox/workers/analysis/providers/select.js';
import { openPictures } from '@lightbox/workers/previews/preview.js';
import { evaluate } from './evaluate/evaluate.js';
import { LabelsRefused, readLabels, requireUsable } from './evaluate/labels.js';
import { reportOf } from './evaluate/report.js';

const usage =
  'npm run evaluate -- --labels labels.csv FOLDER [--provider local|openai|onnx] [--threshold 0.5] [--out report]';

function options() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      labels: { type: 'string' },
      provider: { type: 'string' },
      threshold: { type: 'string', default: '0.5' },
      out: { type: 'string', default: 'report' },
    },
  });
  const [folder] = positionals;
  const threshold = Number(values.threshold);
  if (!values.labels || folder === undefined || positionals.length > 1) throw new LabelsRefused(`Usage: ${usage}`);
  if (!(threshold >= 0 && threshold <= 1)) throw new LabelsRefused('The threshold must be a number from 0 to 1.');
  return { ...values, labels: values.labels, folder, threshold };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new LabelsRefused(`The labels ${path} cannot be read.`);
  }
}

async function main(): Promise<void> {
  const { labels, folder, provider: name, threshold, out } = options();
  const config = loadAiConfig({ ...process.env, ...(name ? { AI_PROVIDER: name } : {}) });
  const provider = selectProvider(config);
  const table = readLabels(read(labels));
  requireUsable(table, folder, provider.labels);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort(new LabelsRefused('Stopped.')));
  const pictures = await openPictures(null);
  try {
    const onFile = (done: number) => process.stderr.write(`\r${done} of ${table.rows.length} files`);
    const maxCalls = config.maxCallsPerDay;
    const found = await evaluate({
      provider,
      pictures,
      folder,
      table,
      threshold,
      maxCalls,
      signal: stop.signal,
      onFile,
    });
    writeFileSync(`${out}.json`, `${JSON.stringify(found, null, 2)}\n`);
    writeFileSync(`${out}.md`, reportOf(found));
    process.stderr.write('\n');
    process.stdout.write(`${reportOf(found)}Written to ${out}.md and ${out}.json.\n`);
  } finally {
    await Promise.all([pictures.close(), closeInspectors()]);
  }
}

try {
  await main();
} catch (error) {
  const known =
    error instanceof LabelsRefused ||
    error instanceof ConfigError ||
    (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
  process.stderr.write(`\n${known ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
}
