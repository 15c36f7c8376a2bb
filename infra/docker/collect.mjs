// Copies processes into an empty folder: their compiled files, and the packages that these files import.
//   node infra/docker/collect.mjs FOLDER ENTRY…
//   node infra/docker/collect.mjs --list ENTRY…     only names what it would copy
// npm cannot do it: `npm ci --omit=dev -w workers` installs the packages of the whole workspace, so the renderer would get
// database drivers. Tracers of imports such as @vercel/nft miss files that are named and started later, as threads are.
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';

const [target, ...entries] = process.argv.slice(2);
if (!target || entries.length === 0) throw new Error('Usage: collect.mjs FOLDER|--list ENTRY…');

const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Compiled files that are reached, and for each workspace its packages that these files name. */
const files = new Set();
const named = new Map();

/** Follows every text of a file that names a compiled file or a package: an import, a thread, a `require.resolve`. */
function follow(file) {
  if (files.has(file)) return;
  if (!existsSync(file)) throw new Error(`${file} is missing: build first.`);
  files.add(file);
  const workspace = file.split('/')[0];
  const packages = named.get(workspace) ?? new Set();
  named.set(workspace, packages);
  const { dependencies = {} } = manifestOf(workspace);
  for (const [, text] of readFileSync(file, 'utf8').matchAll(/['"`]((?:[@.\w-][\w.-]*)(?:\/[\w.-]+)*)['"`]/g)) {
    const parts = text.split('/');
    const name = parts.slice(0, text.startsWith('@') ? 2 : 1).join('/');
    if (name.startsWith('@lightbox/')) follow([parts[1], 'dist', ...parts.slice(2)].join('/'));
    else if (Object.hasOwn(dependencies, name)) packages.add(name);
    else if (text.endsWith('.js')) {
      const neighbour = posix.join(posix.dirname(file), text);
      if (existsSync(neighbour)) follow(neighbour);
    }
  }
}
for (const entry of entries) follow(entry);

/** Finds a package like Node: in the `node_modules` of a folder, or of one of its parents. */
function find(name, from) {
  for (let at = from; ; at = posix.dirname(at)) {
    const found = posix.join(at, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return found;
    if (at === '.') return null;
  }
}

/** Packages whose published files have their dependencies inside: `core-js-pure` of dcmjs alone has 16 MB. */
const selfContained = new Set(['dcmjs']);

const folders = new Set();
function take(name, from, optional) {
  const folder = find(name, from);
  if (!folder && !optional) throw new Error(`${name} of ${from} is not installed.`);
  if (!folder || folders.has(folder)) return;
  folders.add(folder);
  const manifest = manifestOf(folder);
  if (selfContained.has(manifest.name)) return;
  const { dependencies, optionalDependencies = {}, peerDependencies, peerDependenciesMeta = {} } = manifest;
  for (const other of Object.keys({ ...dependencies, ...optionalDependencies })) {
    take(other, folder, other in optionalDependencies);
  }
  for (const peer of Object.keys(peerDependencies ?? {})) {
    if (!peerDependenciesMeta[peer]?.optional) take(peer, folder, false);
  }
}
for (const [workspace, names] of named) for (const name of names) take(name, workspace, false);

/** What only people and compilers read; licences stay. */
const unread = /\.(map|[cm]?ts|flow|md|markdown)$|\.tsbuildinfo$/i;
const isRead = (path) => !unread.test(path) || /licen[cs]e|notice|copying/i.test(basename(path));

const manifests = ['package.json', ...[...named.keys()].map((workspace) => `${workspace}/package.json`)];

function copyAll() {
  const copy = (path, filter = () => true) => {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    cpSync(path, join(target, path), { recursive: true, filter });
  };
  for (const file of [...manifests, ...files]) copy(file);
  for (const folder of folders) {
    copy(folder, (path) => path === folder || (basename(path) !== 'node_modules' && isRead(path)));
  }
  // Workspaces import each other by name.
  mkdirSync(join(target, 'node_modules/@lightbox'), { recursive: true });
  for (const workspace of named.keys()) {
    symlinkSync(`../../${workspace}`, join(target, 'node_modules/@lightbox', workspace));
  }
  console.log(`${files.size} files and ${folders.size} packages in ${target}`);
}

if (target === '--list') console.log([...manifests, ...files, ...folders].join('\n'));
else copyAll();
