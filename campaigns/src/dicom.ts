// `npm run check:dicom`: sends DICOM files to the receiver with DCMTK (echoscu, storescu) and with pynetdicom, without and with
// TLS, and compares what is stored with pydicom. It starts a product of its own, with the people of the demonstration. Prints
// what it compared, and exits with 1 after a difference. It needs Python, and installs the packages in a folder of its own;
// DCMTK must be installed (`apt install dcmtk`).
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@lightbox/launcher/ports.js';
import { startProduct } from '@lightbox/testkit/product.js';
import { call, closeConnections, data, postJson } from './bench/client.js';
import { People } from './fuzz/people.js';
import { pythonWith } from './python.js';

const PACKAGES = ['pynetdicom==3.0.4', 'pydicom==3.0.2', 'requests==2.32.5'];

/** Makes an authority, and certificates that it signs for the receiver and for a device. */
function makeCertificates(folder: string): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const key = (name: string) => ['-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`];
  openssl('req', '-x509', ...key('ca'), '-out', 'ca.pem', '-days', '2', '-subj', '/CN=Test authority');
  for (const name of ['receiver', 'device']) {
    openssl('req', ...key(name), '-out', `${name}.csr`, '-subj', '/CN=localhost');
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2'];
    openssl('x509', '-req', '-in', `${name}.csr`, ...signed, '-out', `${name}.pem`);
  }
}

async function check(python: string, folder: string, isSecure: boolean): Promise<boolean> {
  const port = await freePort();
  const file = (name: string) => join(folder, name);
  const tls = {
    DICOM_TLS_CERT: file('receiver.pem'),
    DICOM_TLS_KEY: file('receiver.key'),
    DICOM_TLS_CA: file('ca.pem'),
  };
  console.log(`Starting the product${isSecure ? ' with TLS' : ''} …`);
  const product = await startProduct({
    DEMO: '1',
    LOG_LEVEL: 'warn',
    DICOM_PORT: String(port),
    ...(isSecure ? tls : {}),
  });
  try {
    const people = await People.of(product);
    const provider = (await people.token('healthProvider')) ?? '';
    const admin = (await people.token('admin')) ?? '';
    const { id } = await data<{ id: string }>(call(`${product.url}/api/users/profile`, { token: provider }));
    for (const title of ['STORESCU', 'PYNETDICOM']) {
      const node = { title, addresses: ['127.0.0.1'], userId: id };
      await data(postJson(`${product.url}/api/dicom-nodes`, node, admin));
    }
    const wanted = { name: 'check', scopes: ['read', 'dicom'], days: 1 };
    const { token } = await data<{ token: string }>(postJson(`${product.url}/api/auth/tokens`, wanted, provider));
    const env = {
      ...process.env,
      LIGHTBOX_URL: product.url,
      LIGHTBOX_TOKEN: token,
      DICOM_PORT: String(port),
      DICOM_CERTIFICATES: isSecure ? folder : '',
    };
    const program = join(import.meta.dirname, '../src/dicom/check.py');
    const passed = spawnSync(python, [program], { stdio: 'inherit', env }).status === 0;
    const said = product
      .output()
      .split('\n')
      .filter((line) => /Doe|CompressedSamples/.test(line));
    if (said.length > 0) console.log(`A log names a patient: ${said.length} lines`);
    return passed && said.length === 0;
  } finally {
    closeConnections();
    await product.stop();
  }
}

async function run(): Promise<number> {
  const python = pythonWith('dicom', PACKAGES);
  const folder = mkdtempSync(join(tmpdir(), 'lightbox-dicom-'));
  try {
    makeCertificates(folder);
    const passed = [await check(python, folder, false), await check(python, folder, true)];
    return passed.every(Boolean) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

process.exitCode = await run();
