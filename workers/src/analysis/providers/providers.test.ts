import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInspector } from '@lightbox/backend/files/inspect.js';
import { closeInspectors } from '@lightbox/backend/files/inspectionPool.js';
import { modalityName } from '@lightbox/contract/analysis/modalities.js';
import { Findings } from '@lightbox/contract/analysis/schemas.js';
import { analysisSentences, inEnglish } from '@lightbox/contract/analysis/sentences.js';
import { dicomPicture, element, imageModule, partTen, picture } from '@lightbox/testkit/part10.js';
import sharp from 'sharp';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { openPictures } from '../../previews/preview.js';
import { localProvider } from './local.js';
import { openAiProvider } from './openai.js';
import { type AnalysisInput, NotAnalysable } from './provider.js';
import { selectProvider } from './select.js';

const pictures = await openPictures(null);
afterAll(() => Promise.all([pictures.close(), closeInspectors()]));

const run = (signal = new AbortController().signal) => ({ signal, onProgress: vi.fn(), pictures });
const now = () => new Date('2026-03-01T12:00:00Z');

async function inputOf(bytes: Buffer): Promise<AnalysisInput> {
  const inspector = createInspector({ declaredType: undefined, filename: undefined, maxBytes: 1e8 });
  inspector.write(bytes);
  const { facts } = await inspector.finish();
  return { imageId: '1'.repeat(24), contentType: facts.contentType, bytes, facts };
}

/** Returns a grey ramp with some texture and a patient's name. */
function ct(...more: Buffer[]): Buffer {
  const shape = picture({ rows: 300, columns: 300 });
  const pixels = Buffer.alloc(180_000);
  for (let i = 0; i < 90_000; i++) pixels.writeUInt16LE((i % 300) * 8 + ((i * 7919) % 97) * 9, i * 2);
  const named = element(0x00100010, 'PN', 'Secret^Person');
  const rescale = Buffer.concat([element(0x00281052, 'DS', '-1024'), element(0x00281053, 'DS', '1'), ...more]);
  const extra = Buffer.concat([
    named,
    element(0x00180015, 'CS', 'CHEST'),
    element(0x00180050, 'DS', '2.5'),
    element(0x00200060, 'CS', 'L'),
  ]);
  return partTen(Buffer.concat([imageModule(shape, extra), rescale, element(0x7fe00010, 'OW', pixels)]));
}

const pdf = (): AnalysisInput => ({ imageId: '1', contentType: 'application/pdf', bytes: Buffer.alloc(9), facts: {} });

describe('local', () => {
  test('The local provider describes a CT by its header and its pixels, without any interpretation.', async () => {
    const progress = run();
    const found = await localProvider(now).analyse(await inputOf(ct()), progress);
    expect(() => Findings.parse(found)).not.toThrow();
    expect(found).toMatchObject({
      differentialDiagnosis: [],
      treatment: [],
      followUp: [],
      confidence: null,
      assessed: false,
      provider: 'local',
    });
    for (const part of [
      'CT (computed tomography), body part chest.',
      'The study was made on 2024-02-29, 2 years before this analysis.',
      '300 × 300 pixels, greyscale, 16 bits per pixel.',
      'Pixel spacing 0.5 × 0.5 mm, a field of about 150 × 150 mm.',
      'Slice thickness 2.5 mm.',
      'Laterality as recorded: left.',
      'Device model: Phantom 1.',
      'Pixel values run from −1024 to',
      'HU',
    ]) {
      expect(found.description).toContain(part);
    }
    expect(found.description).not.toContain('Secret');
    expect(found.warnings[0]).toBe(analysisSentences.NO_MODEL);
    expect(found.said?.description).toContainEqual({ code: 'STUDY_PART', values: { modality: 'CT', part: 'chest' } });
    expect(found.said?.description.map(inEnglish).join(' ')).toBe(found.description);
    expect(found.said?.warnings.map(inEnglish)).toEqual(found.warnings);
    expect(progress.onProgress).toHaveBeenCalledWith(90);
  });

  test('The local provider warns about poor pictures, with the measured numbers.', async () => {
    const flat = (value: number, side: number) =>
      sharp({ create: { width: side, height: side, channels: 3, background: { r: value, g: value, b: value } } });
    const warningsOf = async (bytes: Buffer) =>
      (await localProvider(now).analyse(await inputOf(bytes), run())).warnings.join(' ');
    expect(await warningsOf(await flat(90, 100).png().toBuffer())).toMatch(
      /only one tone.*resolution is low \(100 × 100/,
    );
    const half = await flat(255, 150).png().toBuffer();
    const burnt = await flat(0, 400)
      .composite([{ input: half, left: 0, top: 0 }])
      .jpeg()
      .toBuffer();
    expect(await warningsOf(burnt)).toMatch(
      /1[34] % of the pixels are fully white.*86 % of the pixels are fully black/,
    );
    const soft = await sharp(
      await flat(40, 400)
        .composite([{ input: half, left: 0, top: 0 }])
        .png()
        .toBuffer(),
    )
      .blur(30)
      .png()
      .toBuffer();
    expect(await warningsOf(soft)).toMatch(/may be blurred/);
    expect(await warningsOf(ct(element(0x00280301, 'CS', 'YES')))).toMatch(/the picture contains text/);
  });

  test('The local provider rejects a file without a picture.', async () => {
    await expect(localProvider().analyse(pdf(), run())).rejects.toBeInstanceOf(NotAnalysable);
    const report = await inputOf(partTen(element(0x00080060, 'CS', 'SR')));
    await expect(localProvider().analyse(report, run())).rejects.toThrow('The DICOM file contains no picture.');
    const unknown = partTen(
      Buffer.concat([imageModule(picture()), element(0x7fe00010, 'OW', Buffer.alloc(4))]),
      '1.2.3.4',
    );
    await expect(localProvider().analyse(await inputOf(unknown), run())).rejects.toThrow('cannot be displayed');
  });

  test('An aborted signal stops the local provider.', async () => {
    const input = await inputOf(dicomPicture());
    await expect(localProvider().analyse(input, run(AbortSignal.abort(new Error('stopped'))))).rejects.toThrow(
      'stopped',
    );
  });
});

test('Modalities are written out with their full names.', () => {
  expect(modalityName('US')).toBe('US (ultrasound)');
  expect(modalityName('ZZ')).toBe('ZZ');
});

test('The configuration selects the provider of analyses.', () => {
  const none = { baseUrl: null, apiKey: null, model: null };
  expect(selectProvider({ provider: 'local', ...none }).name).toBe('local');
  expect(selectProvider({ provider: 'openai', ...none, model: 'm' })).toMatchObject({ name: 'openai', model: 'm' });
  expect(() => selectProvider({ provider: 'openai', ...none })).toThrow('AI_MODEL');
});

describe('openai', () => {
  interface Reply {
    status?: number;
    content?: string;
    body?: string;
    silent?: boolean;
    finish?: string;
    refusal?: string;
  }
  let server: Server | undefined;
  const requests: { body: string; authorization: string | undefined }[] = [];

  const good = {
    description: 'A grey ramp. Not a clinical picture.',
    differentialDiagnosis: [{ condition: 'Test pattern', confidence: 0.4 }],
    treatment: [],
    followUp: ['Consider a real picture.'],
    warnings: ['Only one picture.'],
    confidence: 0.3,
  };

  async function bodyOf(request: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  }

  /** Starts a server with the OpenAI protocol. It repeats its last reply. */
  async function serve(...replies: Reply[]) {
    requests.length = 0;
    server = createServer(async (request, response) => {
      requests.push({ body: await bodyOf(request), authorization: request.headers.authorization });
      const reply = replies[Math.min(requests.length, replies.length) - 1] ?? {};
      if (reply.silent) return;
      const message = {
        role: 'assistant',
        content: reply.content ?? JSON.stringify(good),
        refusal: reply.refusal ?? null,
      };
      const completion = {
        id: 'x',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message, finish_reason: reply.finish ?? 'stop' }],
      };
      response.writeHead(reply.status ?? 200, { 'content-type': 'application/json' });
      response.end(reply.body ?? JSON.stringify(reply.status ? { error: { message: 'secret detail' } } : completion));
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  }

  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  test('The OpenAI provider fills every field of the findings and sends only pixels and public fields.', async () => {
    const baseUrl = await serve({});
    const progress = run();
    const provider = openAiProvider({ model: 'm', apiKey: 'key-1', baseUrl });
    const input = await inputOf(ct());
    const dicom = { ...input.facts.dicom, studyDate: '2024-02-29' } as NonNullable<AnalysisInput['facts']['dicom']>;
    const found = await provider.analyse({ ...input, facts: { ...input.facts, dicom } }, progress);
    expect(Findings.parse(found)).toEqual(found);
    expect(found).toMatchObject({
      ...good,
      warnings: [expect.stringContaining('not a diagnosis'), 'Only one picture.'],
      said: { description: [], warnings: [{ code: 'NOT_A_DIAGNOSIS', values: {} }] },
      assessed: true,
      provider: 'openai',
      model: 'm',
    });
    expect(progress.onProgress).toHaveBeenLastCalledWith(90);
    const [{ body, authorization } = { body: '', authorization: '' }] = requests;
    expect(authorization).toBe('Bearer key-1');
    expect(body).not.toMatch(/Secret|Phantom|2024|studyDate/);
    const sent = JSON.parse(body) as {
      messages: { content: { text?: string; image_url?: { url: string } }[] }[];
      response_format: { type: string };
    };
    expect(sent.response_format.type).toBe('json_schema');
    const [text, image] = sent.messages[1]?.content ?? [];
    expect(text?.text).toContain('"modality":"CT","bodyPart":"CHEST"');
    const png = Buffer.from(image?.image_url?.url.replace('data:image/png;base64,', '') ?? '', 'base64');
    expect(await sharp(png).metadata()).toMatchObject({ format: 'png', width: 300 });
  });

  test('The OpenAI provider retries when the server is busy or fails.', async () => {
    const baseUrl = await serve({ status: 500 }, { status: 429 }, {});
    const found = await openAiProvider({ model: 'm', baseUrl }).analyse(await inputOf(ct()), run());
    expect(found.assessed).toBe(true);
    expect(requests).toHaveLength(3);
  });

  test.each<[string, Reply, string, boolean]>([
    ['fails for good', { status: 500 }, 'The model server failed (500).', true],
    ['is busy', { status: 429 }, 'The model server is too busy.', true],
    ['refuses the key', { status: 401 }, 'The model server refused the key of Lightbox.', false],
    ['does not know the model', { status: 404 }, 'The model server does not know the configured model.', false],
    ['never answers', { silent: true }, 'The model server did not answer in time.', true],
    ['answers nonsense', { content: 'I think it is fine.' }, 'The model gave an answer in the wrong format.', true],
    ['answers another shape', { content: '{"description":1}' }, 'The model gave an answer in the wrong format.', true],
    [
      'is 150 % sure',
      { content: JSON.stringify({ ...good, confidence: 1.5 }) },
      'The model gave an answer in the wrong format.',
      true,
    ],
    ['answers no JSON at all', { body: '<html>' }, 'The model gave an answer in the wrong format.', true],
    ['answers nothing', { body: '{}' }, 'The model gave an answer in the wrong format.', true],
    ['declines', { refusal: 'No.' }, 'The model declined to describe this picture.', false],
    ['is cut short', { finish: 'length' }, 'The model’s answer was incomplete.', true],
  ])('A server that %s fails the analysis with a clear reason.', async (_name, reply, reason, retryable) => {
    const baseUrl = await serve(reply);
    const provider = openAiProvider({ model: 'm', baseUrl, retries: 0, timeoutMs: 400 });
    const failure = provider.analyse(await inputOf(ct()), run());
    await expect(failure).rejects.toMatchObject({ name: 'AnalysisFailed', message: reason, retryable });
  });

  test('A server that cannot be reached fails the analysis as unreachable.', async () => {
    const provider = openAiProvider({ model: 'm', baseUrl: 'http://127.0.0.1:1/v1', retries: 0 });
    await expect(provider.analyse(await inputOf(ct()), run())).rejects.toThrow(
      'Lightbox cannot reach the model server.',
    );
  });

  test('An aborted signal stops the call to the OpenAI server.', async () => {
    const baseUrl = await serve({ silent: true });
    const stop = AbortSignal.timeout(300);
    await expect(openAiProvider({ model: 'm', baseUrl }).analyse(await inputOf(ct()), run(stop))).rejects.toThrow(
      'aborted due to timeout',
    );
  });

  test('Documents and pictures with burned-in text are not sent to an OpenAI server.', async () => {
    const baseUrl = await serve({});
    const provider = openAiProvider({ model: 'm', baseUrl });
    await expect(provider.analyse(pdf(), run())).rejects.toBeInstanceOf(NotAnalysable);
    const named = await inputOf(ct(element(0x00280301, 'CS', 'YES')));
    await expect(provider.analyse(named, run())).rejects.toBeInstanceOf(NotAnalysable);
    expect(requests).toHaveLength(0);
  });
});
