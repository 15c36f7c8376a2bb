// `npm run check:dicomweb`: stores, searches and reads DICOM files by DICOMweb with the Python package dicomweb-client, and
// compares everything with pydicom. It starts a product of its own, with the people of the demonstration. Prints what it
// compared, and exits with 1 after a difference. It needs Python, and installs the packages in a folder of its own.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { startProduct } from '@lightbox/testkit/product.js';
import { closeConnections, data, postJson } from './bench/client.js';
import { type FuzzRole, People } from './fuzz/people.js';
import { pythonWith } from './python.js';

const PACKAGES = ['dicomweb-client==0.61.2', 'pydicom==3.0.2', 'numpy==2.2.6', 'pillow==13.0.0'];

async function run(): Promise<number> {
  const python = pythonWith('dicomweb', PACKAGES);
  console.log('Starting the product …');
  const product = await startProduct({ DEMO: '1', LOG_LEVEL: 'warn' });
  try {
    const people = await People.of(product);
    const tokenOf = async (role: FuzzRole) => {
      const session = (await people.token(role)) ?? '';
      const wanted = { name: 'dicomweb-client', scopes: ['dicom'], days: 1 };
      return (await data<{ token: string }>(postJson(`${product.url}/api/auth/tokens`, wanted, session))).token;
    };
    const [owner, stranger] = [await tokenOf('healthProvider'), await tokenOf('patient')];
    const program = join(import.meta.dirname, '../src/dicomWeb/check.py');
    // Tokens are no arguments: other users of the machine see those.
    const env = { ...process.env, LIGHTBOX_URL: product.url, LIGHTBOX_TOKEN: owner, LIGHTBOX_STRANGER: stranger };
    return spawnSync(python, [program], { stdio: 'inherit', env }).status ?? 1;
  } finally {
    closeConnections();
    await product.stop();
  }
}

process.exitCode = await run();
