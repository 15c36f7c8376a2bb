/** The thread that runs a classifier. A model takes the processor for seconds, and other jobs of the process go on. */
import { parentPort, workerData } from 'node:worker_threads';
import type { InferenceSession, Tensor } from 'onnxruntime-web';
import type { ClassifierFile } from './labels.js';
import { type Runtime, runtimeName } from './runtime.js';

export interface ThreadData {
  model: string;
  input: ClassifierFile['input'];
  output: ClassifierFile['output'];
  labels: number;
}

/** `heat`: the maps of the labels, or one for all, from the strongest output that the file names. */
export type ThreadAnswer =
  | { raw: number[]; heat: { maps: number; width: number; height: number; values: Float32Array } | null }
  | { fault: 'failed' | 'misfit' };

const { model, input, output, labels } = workerData as ThreadData;

let loaded: Promise<{ runtime: Runtime; session: InferenceSession }> | undefined;

async function load() {
  const runtime = (await import(runtimeName() as string)) as Runtime;
  // Both runtimes would start one thread for each processor: that of the web by the first line, the native one by the second.
  runtime.env.wasm.numThreads = 1;
  const alone = { intraOpNumThreads: 1, interOpNumThreads: 1 };
  // By its path, because the native runtime then finds weights in a file beside it.
  const session = await runtime.InferenceSession.create(model, alone);
  return { runtime, session };
}

/** Returns the plain values as the classifier was trained on them. */
function inputOf(data: Uint8Array): Float32Array {
  const { width, height, channels, mean, std, layout } = input;
  const pixels = new Float32Array(width * height * channels);
  for (let at = 0; at < width * height; at++) {
    for (let channel = 0; channel < channels; channel++) {
      const value = ((data[at * channels + channel] ?? 0) / 255 - (mean[channel] ?? 0)) / (std[channel] ?? 1);
      pixels[layout === 'nchw' ? channel * width * height + at : at * channels + channel] = value;
    }
  }
  return pixels;
}

async function answer(data: Uint8Array): Promise<ThreadAnswer> {
  loaded ??= load();
  const { runtime, session } = await loaded;
  const { width, height, channels, layout } = input;
  const shape = layout === 'nchw' ? [1, channels, height, width] : [1, height, width, channels];
  const tensor = new runtime.Tensor('float32', inputOf(data), shape);
  const [first = ''] = session.inputNames;
  const results = await session.run({ [first]: tensor });
  const raw = numbersOf(results[output.name ?? session.outputNames[0] ?? '']);
  if (raw?.length !== labels || !raw.every(Number.isFinite)) return { fault: 'misfit' };
  if (!output.heatMap) return { raw: [...raw], heat: null };
  const heat = heatOf(results[output.heatMap]);
  return heat ? { raw: [...raw], heat } : { fault: 'misfit' };
}

const numbersOf = (tensor: Tensor | undefined): Float32Array | null =>
  tensor?.data instanceof Float32Array ? tensor.data : null;

function heatOf(tensor: Tensor | undefined) {
  const values = numbersOf(tensor);
  const [height = 0, width = 0] = tensor?.dims.slice(-2) ?? [];
  if (!values || width < 1 || height < 1) return null;
  const maps = values.length / (width * height);
  return maps === 1 || maps === labels ? { maps, width, height, values } : null;
}

parentPort?.on('message', (data: Uint8Array) => {
  answer(data).then(
    (found) => parentPort?.postMessage(found),
    () => parentPort?.postMessage({ fault: 'failed' } satisfies ThreadAnswer),
  );
});
