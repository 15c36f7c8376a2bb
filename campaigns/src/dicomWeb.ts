// `npm run check:dicomweb`: stores, searches and reads DICOM files by DICOMweb with the Python package dicomweb-client, and
// compares everything with pydicom. It starts a product of its own, with the people of the demonstration. Prints what it
// compared, and exits with 1 after a difference. It needs Python, and installs the packages in a folder of its own. Orthanc
// pushes, finds and fetches a study too, if it is installed with its DICOMweb plugin (Debian: `orthanc`, `orthanc-dicomweb`).
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@lightbox/launcher/ports.js';
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
    const program = (name: string) => join(import.meta.dirname, '../src/dicomWeb', name);
    // Tokens are no arguments: other users of the machine see those.
    const env = { ...process.env, LIGHTBOX_URL: product.url, LIGHTBOX_TOKEN: owner, LIGHTBOX_STRANGER: stranger };
    const compared = spawnSync(python, [program('check.py')], { stdio: 'inherit', env }).status ?? 1;
    const orthanc = findOrthanc();
    if (!orthanc) {
      console.log('Orthanc is not installed here, and was left out.');
      return compared;
    }
    const withOrthanc = { ...env, ...orthanc, ORTHANC_PORT: String(await freePort()) };
    const pushed = spawnSync(python, [program('orthanc.py')], { stdio: 'inherit', env: withOrthanc }).status ?? 1;
    return compared || pushed;
  } finally {
    closeConnections();
    await product.stop();
  }
}

/** Returns the places of Orthanc and of its plugin; null when one of them is not there. */
function findOrthanc(): { ORTHANC: string; ORTHANC_DICOMWEB: string } | null {
  const { ORTHANC = '/usr/sbin/Orthanc', ORTHANC_DICOMWEB = '/usr/share/orthanc/plugins/libOrthancDicomWeb.so' } =
    process.env;
  return existsSync(ORTHANC) && existsSync(ORTHANC_DICOMWEB) ? { ORTHANC, ORTHANC_DICOMWEB } : null;
}

process.exitCode = await run();
