// `npm run check:chart`: checks the Helm chart in infra/helm with helm and kubeconform, which are built with Go when they are
// missing on the path, and with a real API server when etcd and kube-apiserver are on it. Says what it did not run.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { applyAll } from './chart/apply.mjs';
import { faultsOf } from './chart/policies.mjs';
import { isOnPath, run } from './chart/run.mjs';
import { customResources, writeSchemas } from './chart/schemas.mjs';
import { withPrograms } from './goPrograms.mjs';
import { root, StepError } from './setup.mjs';

const chart = join(root, 'infra/helm/lightbox');
const examples = readdirSync(join(chart, 'ci')).map((name) => join(chart, 'ci', name));

const template = (...args) => run('helm', ['template', 'lightbox', chart, '--namespace', 'lightbox', ...args]);

/** Values that the chart must refuse, each with a word of its message. */
const refused = [
  [['publicUrl=http://lightbox.example'], /publicUrl/],
  [['settings.APP_KEYS=k1:secret'], /APP_KEYS/],
  [['settings.BLOB_STORE=file'], /BLOB_STORE/],
  [['existingSecret='], /existingSecret/],
  [['ingress.controller=other'], /web\.enabled/],
  [['backup.enabled=true'], /backup\.existingClaim/],
  [['backup.schedule=daily'], /schedule/],
  [['keda.enabled=true'], /keda\.prometheusAddress/],
  [['workers.queues.fax.replicas=1'], /fax/],
];

function render() {
  const sets = [];
  for (const values of [null, ...examples]) {
    const args = values ? ['--values', values] : [];
    run('helm', ['lint', '--strict', chart, ...args]);
    const text = template(...args);
    const manifests = parseAllDocuments(text)
      .map((document) => document.toJS())
      .filter(Boolean);
    const faults = faultsOf(manifests);
    if (faults.length > 0) throw new StepError(`${values ?? 'The defaults'}:\n${faults.join('\n')}`);
    sets.push({ values, text, manifests });
  }
  return sets;
}

function checkRefusals() {
  for (const [values, says] of refused) {
    let message = '';
    try {
      template(...values.flatMap((value) => ['--set', value]));
    } catch (error) {
      message = error.message;
    }
    if (!says.test(message)) throw new StepError(`The chart does not refuse ${values}: ${message}`);
  }
}

/** Changes to the pod of a gateway, each of which breaks a rule. */
const plants = [
  (pod) => delete pod.securityContext.runAsNonRoot,
  (pod) => delete pod.securityContext.seccompProfile,
  (pod) => delete pod.automountServiceAccountToken,
  (pod) => pod.volumes.push({ name: 'node', hostPath: { path: '/' } }),
  (pod) => delete pod.containers[0].securityContext.readOnlyRootFilesystem,
  (pod) => pod.containers[0].securityContext.capabilities.drop.pop(),
  (pod) => delete pod.containers[0].resources.limits,
  (pod) => delete pod.containers[0].livenessProbe && delete pod.containers[0].readinessProbe,
  (pod) => pod.containers[0].env.push({ name: 'ENCRYPTION_KEYS', value: 'k1:secret' }),
  (pod) => pod.volumes.pop(),
];

/** The rules notice each fault that is planted. */
function checkRules([{ manifests }]) {
  for (const plant of plants) {
    const broken = structuredClone(manifests);
    plant(
      broken.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith('-gateway')).spec.template
        .spec,
    );
    if (faultsOf(broken).length !== 1) throw new StepError(`The rules do not notice ${plant}.`);
  }
  const open = structuredClone(manifests);
  open.find(({ kind, metadata }) => kind === 'Service' && metadata.name.endsWith('-gateway')).spec.type = 'NodePort';
  if (faultsOf(open).length !== 1) throw new StepError('The rules do not notice a Service that opens a port.');
}

async function check(folder) {
  const sets = render();
  checkRules(sets);
  checkRefusals();
  const count = sets.reduce((sum, { manifests }) => sum + manifests.length, 0);
  console.log(
    `helm: ${sets.length} sets of values, ${count} manifests keep the rules; ${refused.length} sets are refused.`,
  );

  if (!isOnPath('go')) return console.log('Not run: schemas and API server, because Go is not on the path.');
  const kinds = customResources();
  const location = writeSchemas(join(folder, 'schemas'), kinds);
  for (const { text } of sets) run('kubeconform', ['-strict', '-summary', '-schema-location', location], text);
  console.log(`kubeconform: ${count} manifests are valid.`);

  if (!isOnPath('etcd') || !isOnPath('kube-apiserver')) {
    return console.log('Not run: etcd and kube-apiserver are not on the path.');
  }
  const manifests = sets.map((set) => set.manifests);
  const applied = await applyAll(join(folder, 'server'), manifests, kinds);
  console.log(`kube-apiserver: ${applied.manifests} manifests applied, ${applied.pods} pods admitted as restricted.`);
}

await withPrograms(['helm', 'kubeconform'], check);
