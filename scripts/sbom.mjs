// `npm run sbom`: writes the components of the product to sbom.json (CycloneDX 1.5), from the lockfile alone.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

/** The licences of packages that do not declare them in the field `license`. */
const licences = {
  busboy: 'MIT',
  'combine-errors': 'MIT',
  'passport-strategy': 'MIT',
  pause: 'MIT',
  'png-js': 'MIT',
  rechoir: 'MIT',
  streamsearch: 'MIT',
  'xmlhttprequest-ssl': 'MIT',
};

/** Runs npm: the one that called this script, or the one on the PATH. */
function npm(args) {
  const { npm_execpath } = process.env;
  const [command, all] = npm_execpath?.endsWith('.js') ? [process.execPath, [npm_execpath, ...args]] : ['npm', args];
  const { status, stdout, stderr } = spawnSync(command, all, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed: ${stderr}`);
  return stdout;
}

const sbom = JSON.parse(npm(['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']));
sbom.metadata.component.name = 'lightbox';
for (const component of sbom.components) {
  const id = licences[component.name];
  if (!component.licenses?.length && id) component.licenses = [{ license: { id } }];
}
const file = process.argv[2] ?? join(root, 'sbom.json');
writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
process.stdout.write(`${sbom.components.length} components in ${file}\n`);
