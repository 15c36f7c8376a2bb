import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call } from '../client.js';
import { rate as readRate, untilDrawn } from '../downloads.js';
import { uploadForm } from '../files.js';
import { memoryDuring } from '../memory.js';
import type { Person } from '../people.js';
import { judged, plain, type Row, spread } from '../report.js';
import type { Site } from '../site.js';
import { inParallel, inTurn, median } from '../stats.js';
import { productTarget, uploadTo } from '../uploads.js';
import type { Peer, Recipe } from './program.js';
import { disc, noise, scanOf } from './scans.js';

const MB = 1024 * 1024;
const SMALL = { bytes: 512 * 1024, count: 32, width: 8, rounds: 5 };
const LARGE = { bytes: 10 * MB, count: 16, width: 16, rounds: 3 };
const READ_ROUNDS = 5;
const DICOM = 'application/dicom';

export const orthanc: Recipe = {
  name: 'Orthanc',
  program: 'Orthanc',
  configure: (folder, port) => {
    const file = join(folder, 'orthanc.json');
    // Its own values, but for the places, and without a login and the receiver of DICOM.
    const config = {
      ...{ HttpPort: port, RemoteAccessAllowed: false, AuthenticationEnabled: false, DicomServerEnabled: false },
      ...{ StorageDirectory: join(folder, 'storage'), IndexDirectory: join(folder, 'index'), KeepAlive: true },
    };
    writeFileSync(file, JSON.stringify(config));
    return { args: [file] };
  },
};

const instancesOf = ({ port }: Peer): string => `http://127.0.0.1:${port}/instances`;

/** Stores a file. Returns its id. A file that Orthanc has already is a fault of the bench. */
async function store(peer: Peer, body: Buffer): Promise<string> {
  const reply = await call(instancesOf(peer), { method: 'POST', type: DICOM, body });
  const { Status, ID } = JSON.parse(reply.body.toString()) as { Status?: string; ID?: string };
  if (Status !== 'Success' || !ID) throw new Error(`${reply.status} ${reply.body.toString().slice(0, 300)}`);
  return ID;
}

/** Sends new files, `width` at a time. Returns files per second. Throws when one is rejected. */
const rate =
  (pixels: Buffer[], width: number, send: (file: Buffer) => Promise<unknown>) => async (): Promise<number> => {
    const files = pixels.map(scanOf);
    const seconds = await inParallel(files.length, width, async (i) => {
      await send(files[i] as Buffer);
    });
    return files.length / seconds;
  };

const toProduct = (site: Site, person: Person) => (file: Buffer) =>
  uploadTo(productTarget(site, person), uploadForm(file, DICOM));

/** The same kind of DICOM files to the product and to Orthanc: each is different, and each a study of its own. */
export async function benchOrthancUploads(site: Site, person: Person): Promise<Row[]> {
  const peer = await site.startPeer(orthanc);
  const job = 'upload of DICOM, 512 KB, 8 at a time';
  const pixels = Array.from({ length: SMALL.count }, () => noise(SMALL.bytes));
  const product = rate(pixels, SMALL.width, toProduct(site, person));
  const theirs = rate(pixels, SMALL.width, (file) => store(peer, file));
  await product();
  await theirs();
  const figures = await inTurn(SMALL.rounds, { product, theirs });
  await peer.stop();
  const ratio = median(figures.product) / median(figures.theirs);
  return [
    plain(job, 'product, uploads/s', spread(figures.product)),
    plain(job, 'Orthanc, uploads/s', spread(figures.theirs)),
    judged(job, 'ratio', ratio, '>= 0.28', ratio >= 0.28),
  ];
}

/** The highest memory of a gateway and of Orthanc that both have not grown before. */
export async function benchOrthancMemory(site: Site, person: Person): Promise<Row[]> {
  const peer = await site.startPeer(orthanc);
  const job = 'upload of DICOM, 10 MB, 16 at once';
  const pixels = Array.from({ length: LARGE.count }, () => noise(LARGE.bytes));
  const peaks = { product: [] as number[], theirs: [] as number[] };
  const watched = (name: keyof typeof peaks, pid: number, work: () => Promise<number>) => async () => {
    let perSecond = 0;
    const use = await memoryDuring(pid, async () => {
      perSecond = await work();
    });
    peaks[name].push(use?.peak ?? Number.NaN);
    return (perSecond * LARGE.bytes) / MB;
  };
  const figures = await inTurn(LARGE.rounds, {
    product: watched('product', site.gateways[0].pid, rate(pixels, LARGE.width, toProduct(site, person))),
    theirs: watched(
      'theirs',
      peer.pid,
      rate(pixels, LARGE.width, (file) => store(peer, file)),
    ),
  });
  await peer.stop();
  const ratio = Math.max(...peaks.product) / Math.max(...peaks.theirs);
  return [
    plain(job, 'product, MB/s', spread(figures.product)),
    plain(job, 'Orthanc, MB/s', spread(figures.theirs)),
    plain(job, 'product, highest MiB by round', peaks.product.map(Math.round).join(', ')),
    plain(job, 'Orthanc, highest MiB by round', peaks.theirs.map(Math.round).join(', ')),
    judged(job, 'ratio of the highest', ratio, '<= 0.3', ratio <= 0.3),
  ];
}

/** The picture of one DICOM file: the product draws it once, Orthanc at each read. */
export async function benchOrthancPreviews(site: Site, person: Person): Promise<Row[]> {
  const peer = await site.startPeer(orthanc);
  const job = 'preview of DICOM, 512 x 512, 8 at a time';
  const file = scanOf(disc(SMALL.bytes));
  const { id } = await toProduct(site, person)(file);
  const worker = await site.startPreviews();
  await untilDrawn(site, person, id);
  await worker.stop();
  const ours = `${site.gateways[0].api}/upload/image/${id}/preview`;
  const drawn = `${instancesOf(peer)}/${await store(peer, file)}/preview`;
  const sizes = [await call(ours, { token: person.token }), await call(drawn)].map(({ body }) => body.length / 1024);
  const product = readRate(ours, person.token);
  const theirs = readRate(drawn);
  await product();
  await theirs();
  const figures = await inTurn(READ_ROUNDS, { product, theirs });
  await peer.stop();
  const ratio = median(figures.product) / median(figures.theirs);
  return [
    plain(job, 'size, KiB: product, Orthanc', sizes.map((size) => size.toFixed(1)).join(', ')),
    plain(job, 'product, req/s', spread(figures.product)),
    plain(job, 'Orthanc, req/s', spread(figures.theirs)),
    judged(job, 'ratio', ratio, '>= 15', ratio >= 15),
  ];
}
