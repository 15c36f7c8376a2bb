// Applies manifests to a real API server, and creates a pod of each workload where only restricted pods are admitted.
import assert from 'node:assert/strict';
import { answers, startApiServer } from './apiServer.mjs';
import { isWorkload, specOf } from './policies.mjs';

const strict = 'fieldManager=check&force=true&fieldValidation=Strict';

/** Applies each set of manifests in a namespace of its own. Returns how many were applied, and how many pods admitted. */
export async function applyAll(folder, sets, definitionsOfKinds) {
  const server = await startApiServer(folder);
  try {
    for (const definition of definitionsOfKinds) await apply(server, definition);
    const applied = { manifests: 0, pods: 0 };
    for (const [at, manifests] of sets.entries()) {
      const namespace = `set-${at}`;
      await apply(server, restricted(namespace));
      await apply(server, priority);
      for (const manifest of manifests) {
        await apply(server, { ...manifest, metadata: { ...manifest.metadata, namespace } });
        applied.manifests += 1;
      }
      for (const workload of manifests.filter(isWorkload)) {
        const { metadata } = workload;
        const { status, body, warning } = await createPod(server, namespace, metadata.name, specOf(workload).template);
        assert.equal(status, 201, `A pod of ${metadata.name} is refused: ${body.message}`);
        assert.equal(warning, undefined, `A pod of ${metadata.name}: ${warning}`);
        applied.pods += 1;
      }
    }
    await refusesOthers(server);
    return applied;
  } finally {
    await server.stop();
  }
}

/** The namespace refuses a pod that runs as root, so the admitted pods say something. */
async function refusesOthers(server) {
  const pod = { metadata: {}, spec: { containers: [{ name: 'root', image: 'busybox:1.37.0' }] } };
  const account = { automountServiceAccountToken: false };
  const { status, body } = await createPod(server, 'set-0', 'root', { ...pod, spec: { ...pod.spec, ...account } });
  assert.equal(status, 403);
  assert.match(body.message, /violates PodSecurity "restricted/);
}

const restricted = (name) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name,
    labels: { 'pod-security.kubernetes.io/enforce': 'restricted', 'pod-security.kubernetes.io/warn': 'restricted' },
  },
});
const priority = {
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name: 'high' },
  value: 1000,
};

async function createPod({ call }, namespace, name, { metadata, spec }) {
  // Controllers that do not run here would make the account and the volumes of a claim.
  await call('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, {
    metadata: { name: spec.serviceAccountName ?? 'default' },
  });
  const claims = spec.containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name: volume }) => volume));
  const missing = [...new Set(claims)].filter((volume) => !spec.volumes?.some(({ name: other }) => other === volume));
  const volumes = [
    ...(spec.volumes ?? []),
    ...missing.map((volume) => ({ name: volume, persistentVolumeClaim: { claimName: volume } })),
  ];
  const restartPolicy = spec.restartPolicy ?? 'Always';
  const pod = { metadata: { ...metadata, name }, spec: { ...spec, volumes, restartPolicy } };
  return call('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All&fieldValidation=Strict`, pod);
}

/** Applies a manifest as `kubectl apply --server-side --validate=strict` does. */
async function apply(server, manifest) {
  const { apiVersion, kind, metadata } = manifest;
  const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const resource = await find(server, base, kind);
  const place = resource.namespaced ? `/namespaces/${metadata.namespace}` : '';
  const path = `${base}${place}/${resource.name}/${metadata.name}?${strict}`;
  const { status, body, warning } = await server.call('PATCH', path, manifest, 'application/apply-patch+yaml');
  assert.ok(status === 200 || status === 201, `${kind} ${metadata.name} is refused: ${body.message ?? status}`);
  assert.equal(warning, undefined, `${kind} ${metadata.name}: ${warning}`);
}

const found = new Map();

/** Finds the path of a kind. That of a definition that was just applied is served a moment later. */
async function find(server, base, kind) {
  const isKind = (each) => each.kind === kind && !each.name.includes('/');
  await answers(async () => {
    if (!found.get(base)?.some(isKind)) found.set(base, (await server.call('GET', base)).body.resources);
    return found.get(base).some(isKind);
  });
  return found.get(base).find(isKind);
}
