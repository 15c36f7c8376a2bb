import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';

/** The version of OHIF that is checked. */
const OHIF = '3.13.2';

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** Returns the folder of the package's files. npm fetches it once, into the folder for temporary files. */
function ohifFiles(): string {
  const folder = join(tmpdir(), `lightbox-ohif-${OHIF}`);
  if (existsSync(folder)) return join(folder, 'package/dist');
  console.log(`Fetching OHIF ${OHIF} …`);
  const draft = mkdtempSync(join(tmpdir(), 'lightbox-ohif-'));
  try {
    execFileSync('npm', ['pack', `@ohif/app@${OHIF}`, '--silent', '--pack-destination', draft]);
    execFileSync('tar', ['xzf', join(draft, `ohif-app-${OHIF}.tgz`), '-C', draft]);
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
  return join(folder, 'package/dist');
}

export interface OhifPage {
  origin: string;
  /** The addresses that were asked for, as an access log has them. */
  asked: string[];
  stop: () => void;
}

/**
 * Serves OHIF as a clinic would: the files of the package, and an `app-config.js` for Lightbox. `root` returns the address
 * of DICOMweb, once it is known.
 */
export async function serveOhif(port: number, root: () => string): Promise<OhifPage> {
  const files = ohifFiles();
  const config = readFileSync(join(import.meta.dirname, '../../src/ohif/app-config.js'), 'utf8');
  const asked: string[] = [];
  const server: Server = createServer((req, res) => {
    asked.push(req.url ?? '');
    const path = normalize(new URL(req.url ?? '/', 'http://localhost').pathname);
    if (path === '/app-config.js') {
      res.setHeader('Content-Type', 'text/javascript');
      res.end(config.replace('https://images.clinic.example/dicom-web', root()));
      return;
    }
    const file = join(files, path);
    const page = extname(path) === '' || !existsSync(file) ? join(files, 'index.html') : file;
    res.setHeader('Content-Type', types[extname(page)] ?? 'application/octet-stream');
    createReadStream(page).pipe(res);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${port}`,
    asked,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Makes the folder for pictures. */
export function pictureFolder(): string {
  const folder = join(process.env.ARTIFACTS ?? 'test-results', 'ohif');
  mkdirSync(folder, { recursive: true });
  return folder;
}
