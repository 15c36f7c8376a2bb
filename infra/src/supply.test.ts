import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

interface Locked {
  version?: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  dev?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
const deployed = ['contract', 'core', 'backend', 'workers'];

/** Resolves `name` from `path` like Node: in its own `node_modules`, or in that of one of its parents. */
function resolve(path: string, name: string): string | null {
  for (let at: string | null = path; at !== null; ) {
    const found: string = `${at ? `${at}/` : ''}node_modules/${name}`;
    const locked = packages[found];
    if (locked) return locked.link ? (locked.resolved ?? null) : found;
    at = at === '' ? null : at.includes('/node_modules/') ? at.slice(0, at.lastIndexOf('/node_modules/')) : '';
  }
  return null;
}

/** Returns the packages that `npm ci --omit=dev` installs for the four deployed workspaces. */
function productionTree(): Set<string> {
  const tree = new Set<string>();
  const walk = (path: string) => {
    if (tree.has(path)) return;
    tree.add(path);
    const { dependencies, optionalDependencies } = packages[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = resolve(path, name);
      if (found) walk(found);
      else expect(optionalDependencies, `${name} of ${path}`).toHaveProperty([name]);
    }
  };
  for (const workspace of deployed) walk(workspace);
  return tree;
}
const production = productionTree();

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lightbox-supply-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the lockfile', () => {
  /** Packages that are missing in the registry with which the lockfile was made (docs/security.md). */
  const unknown = ['android', 'darwin', 'win32']
    .flatMap((system) => [`${system}-arm64`, `${system}-x64`])
    .concat('linux-arm64-musl', 'linux-x64-musl')
    .map((system) => `@biomejs/cli-${system}`);

  it('has a hash for every package except eight that are never deployed, and names no registry', () => {
    const without = installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
    expect(without.map(([path]) => nameOf(path)).sort()).toEqual([...unknown].sort());
    for (const [path, { dev, optional }] of without)
      expect({ path, dev, optional }).toMatchObject({ dev, optional: true });
    expect(installed.filter(([, { resolved }]) => resolved).map(([path]) => path)).toEqual([]);
  });

  it('allows no install script', () => {
    const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> };
    const asking = installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path));
    for (const name of asking) expect(allowScripts, name).toHaveProperty([name], false);
    expect(Object.values(allowScripts)).not.toContain(true);
  });
});

it('Each workspace imports every dependency that it declares.', () => {
  const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
  for (const workspace of workspaces) {
    const { dependencies, devDependencies } = JSON.parse(read(`${workspace}/package.json`)) as Record<string, object>;
    const declared = Object.keys({ ...dependencies, ...devDependencies });
    // A peer dependency belongs to the package that requires it, and types belong to the package that they describe.
    const peers = declared.flatMap((name) => Object.keys(packages[`node_modules/${name}`]?.peerDependencies ?? {}));
    const files = readdirSync(join(root, workspace), { recursive: true, encoding: 'utf8' });
    const sources = files.filter((file) => /\.(tsx?|css)$/.test(file) && !/^(dist|node_modules|\.tsc)\b/.test(file));
    const text = sources.map((file) => read(join(workspace, file))).join('\n');
    const imported = new Set(text.match(/(?<=['"`])(@[\w.-]+\/)?[\w.-]+(?=['"/])/g));
    const own = declared.filter((name) => !name.startsWith('@types/') && !peers.includes(name));
    expect(
      own.filter((name) => !imported.has(name)),
      workspace,
    ).toEqual([]);
  }
});

describe('docs/security.md', () => {
  const rows = read('docs/security.md')
    .split('\n')
    .filter((line) => /CVE-\d{4}-\d+/.test(line) && line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, library = '', , fixed = '', ours = '']) => ({ library, fixed: fixed.split(', '), ours }));
  const major = (version: string) => Number(version.split('.')[0]);
  const compare = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true });
  const versionsOf = (library: string) =>
    [
      ...new Set(installed.flatMap(([path, { version }]) => (nameOf(path) === library && version ? [version] : []))),
    ].sort(compare);

  it.each(rows)(
    'names the version of $library in the lockfile, and that version is fixed',
    ({ library, fixed, ours }) => {
      const versions = versionsOf(library);
      expect(versions.join(', ')).toBe(ours);
      for (const version of versions) {
        // The fault is fixed in several major versions: compare with the fix of the same one.
        const line = fixed.find((mended) => major(mended) === major(version)) ?? fixed.toSorted(compare).at(-1) ?? '';
        expect(compare(version, line), `${library} ${version}`).toBeGreaterThanOrEqual(0);
      }
    },
  );

  it('covers the libraries that read foreign input, and the excluded libraries are not installed', () => {
    const libraries = rows.map(({ library }) => library);
    const edges = ['busboy', 'express', 'socket.io', 'ws', 'jsonwebtoken', 'mongoose', 'sharp', 'nodemailer', 'zod'];
    expect(libraries).toEqual(expect.arrayContaining(edges));
    for (const name of ['multer', 'dicer', 'gridfs-stream', 'request', 'tsx', 'esbuild']) {
      expect(versionsOf(name), name).toEqual([]);
    }
  });
});

interface Component {
  name: string;
  version: string;
  purl: string;
  licenses?: { license?: { id?: string; name?: string }; expression?: string }[];
}

it('`npm run sbom` lists every deployed package, each with a known licence.', () => {
  const file = join(folder, 'sbom.json');
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/sbom.mjs'), file], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  const sbom = JSON.parse(readFileSync(file, 'utf8')) as { bomFormat: string; components: Component[] };
  expect(sbom).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    metadata: { component: { name: 'lightbox' } },
  });
  const listed = new Set(sbom.components.map(({ purl }) => decodeURIComponent(purl)));
  const wanted = [...production].filter((path) => path.includes('node_modules/'));
  expect(wanted.length).toBeGreaterThan(200);
  const missing = wanted.filter((path) => !listed.has(`pkg:npm/${nameOf(path)}@${packages[path]?.version}`));
  // npm does not install binaries for other systems, so they may be missing.
  expect(missing.filter((path) => !packages[path]?.optional)).toEqual([]);
  const nameless = sbom.components.filter(({ licenses }) => !licenses?.some((l) => l.expression ?? l.license?.id));
  expect(nameless.map(({ name }) => name)).toEqual([]);
  const free =
    /^\(?(MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|MPL-2\.0|LGPL-3\.0-or-later|Zlib|CC0-1\.0|OFL-1\.1|EUPL-1\.1\+|Python-2\.0|CC-BY-4\.0|BSL-1\.0|Unicode-3\.0|Unlicense|WTFPL| AND | OR )+\)?$/;
  for (const { name, licenses = [] } of sbom.components) {
    for (const { license, expression } of licenses) expect(expression ?? license?.id, name).toMatch(free);
  }
});

describe('an image', () => {
  const dockerfile = read('infra/docker/Dockerfile').replaceAll(/ \\\n\s*/g, ' ');
  const stages = new Map(
    dockerfile
      .split(/^FROM /m)
      .slice(1)
      .map((stage) => {
        const [, base = '', name = ''] = /^(\S+) AS (\S+)/.exec(stage) ?? [];
        return [name, { base, lines: stage.split('\n') }];
      }),
  );
  const said = (name: string, instruction: string): string[] =>
    (stages.get(name)?.lines ?? [])
      .filter((line) => line.startsWith(`${instruction} `))
      .map((line) => line.slice(instruction.length).trim());
  const processes = ['gateway', 'worker', 'dicom', 'renderer'];
  /** Those with files that collect.mjs copies. */
  const collecting = [...processes, 'backup'];

  /** Returns the paths that collect.mjs copies for a process. */
  function collected(name: string): string[] {
    const entries = /collect\.mjs \/out ((?:\S+\.js ?)+)/.exec(said(`${name}-files`, 'RUN')[0] ?? '')?.[1] ?? '';
    const args = ['infra/docker/collect.mjs', '--list', ...entries.trim().split(' ')];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    return stdout.trim().split('\n');
  }
  const contents = new Map<string, string[]>();
  beforeAll(() => {
    for (const name of collecting) contents.set(name, collected(name));
  });
  const packagesOf = (name: string) => (contents.get(name) ?? []).filter((path) => path.includes('node_modules/'));

  it.each(processes)('of the %s has no more than Node and what collect.mjs copies', (name) => {
    expect(stages.get(name)?.base).toBe('node');
    expect(said(name, 'COPY')).toEqual([`--from=${name}-files /out ./`]);
    expect(stages.get('node')?.base).toBe('scratch');
    expect(said('node', 'COPY')).toEqual(['--from=node-files /out /']);
    expect([...said(name, 'ADD'), ...said(name, 'RUN'), ...said('node', 'RUN')]).toEqual([]);
    expect(said(name, 'USER')[0]).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(said(name, 'HEALTHCHECK')).toHaveLength(1);
  });

  it.each(collecting)(
    'of the %s holds production packages and built files, without tests, types and sources',
    (name) => {
      const paths = contents.get(name) ?? [];
      const built = paths.filter((path) => !path.includes('node_modules/') && !/^(\w+\/)?package\.json$/.test(path));
      expect(built.filter((path) => !/^(contract|core|backend|workers)\/dist\/[\w./]+\.js$/.test(path))).toEqual([]);
      expect(built.filter((path) => /\.test\.|\/testing\//.test(path))).toEqual([]);
      expect(packagesOf(name).filter((path) => !production.has(path))).toEqual([]);
      expect(packagesOf(name).filter((path) => packages[path]?.dev)).toEqual([]);
    },
  );

  it.each(collecting)('of the %s holds every file and package that its files import', (name) => {
    const paths = new Set(contents.get(name));
    const files = [...paths].filter((path) => path.endsWith('.js') && !path.includes('node_modules/'));
    const missing = files.flatMap((file) => {
      const text = read(file);
      const imports = [
        ...text.matchAll(/(?:^(?:import|export)\s[^'"]*\bfrom |^import |\bimport\()['"]([^'"]+)['"]/gm),
      ].map(([, from = '']) => from);
      return imports.filter((from) => {
        if (isBuiltin(from)) return false;
        if (from.startsWith('.')) return !paths.has(join(dirname(file), from));
        const [scope, other = '', ...rest] = from.split('/');
        if (scope === '@lightbox') return !paths.has([other, 'dist', ...rest].join('/'));
        const found = resolve(file.split('/')[0] ?? '', from.startsWith('@') ? `${scope}/${other}` : (scope ?? ''));
        return !found || !paths.has(found);
      });
    });
    expect(files.length).toBeGreaterThan(20);
    expect(missing).toEqual([]);
  });

  it.each(processes)('of the %s holds no compiler, and no library that a package has inside', (name) => {
    const names = packagesOf(name).map(nameOf);
    for (const other of ['typescript', '@babel/runtime-corejs3', 'core-js-pure']) expect(names).not.toContain(other);
  });

  it('for backups adds Node and the two commands to that of MongoDB', () => {
    expect(said('backup', 'COPY')).toEqual([
      '--from=node-files /usr/local/bin/node /usr/local/bin/node',
      '--from=backup-files /out ./',
    ]);
    expect(said('backup', 'USER')).toEqual(['1000:1000']);
    // The entry point of MongoDB's image starts a server.
    expect(said('backup', 'ENTRYPOINT')).toEqual(['[]']);
    const paths = contents.get('backup') ?? [];
    expect(paths).toEqual(
      expect.arrayContaining(['core/dist/backup/backupCommand.js', 'core/dist/backup/restoreCommand.js']),
    );
  });

  it('has all that dcmjs loads', () => {
    const [copy, write, codecs] = [
      join(folder, 'image'),
      'backend/dist/annotations/dicom/write.js',
      'workers/dist/previews/dicom/codecs.js',
    ];
    const collect = spawnSync(process.execPath, ['infra/docker/collect.mjs', copy, write, codecs], { cwd: root });
    expect(collect.status, String(collect.stderr)).toBe(0);
    const script = `
      const { dicomFile } = await import('./${write}');
      const file = dicomFile({ SOPClassUID: '1.2.3', SOPInstanceUID: '1.2.4', PatientName: 'A^B' });
      await import('./${codecs}');
      await import('dcmjs');
      console.log(file.toString('latin1', 128, 132));`;
    const args = ['--input-type=module', '--eval', script];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' });
    expect(stdout.trim(), stderr).toBe('DICM');
  });

  it('of the renderer holds no client of a database, a queue, a mail server or a bucket', () => {
    const names = packagesOf('renderer').map(nameOf);
    expect(names).toEqual(expect.arrayContaining(['sharp', '@hyzyla/pdfium', 'dcmjs-codecs']));
    for (const name of ['mongodb', 'mongoose', 'ioredis', 'bullmq', 'nodemailer', '@aws-sdk/client-s3', 'openai']) {
      expect(names).not.toContain(name);
    }
  });
});
