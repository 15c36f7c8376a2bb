// The rules that every manifest of the chart keeps, whatever the values are.

const workloads = ['Deployment', 'StatefulSet', 'Job', 'CronJob'];
/** Those that end by themselves, and need no probe. */
const ending = ['Job', 'CronJob'];

/** Settings that hold a secret, or an address with a password. */
const secretSettings =
  /^(APP_KEYS|ENCRYPTION_KEYS|AUDIT_KEYS|VAPID_KEY|SMTP_URL|ADMIN_.*|.*_API_KEY|S3_(ACCESS|SECRET).*|.*PASSWORD)$/;

export const isWorkload = ({ kind }) => workloads.includes(kind);

/** Returns the part of a workload that has the template of its pods. */
export const specOf = ({ kind, spec }) => (kind === 'CronJob' ? spec.jobTemplate.spec : spec);

/** Returns what is wrong with the manifests, one sentence each. */
export function faultsOf(manifests) {
  const names = manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
  const faults = names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${name} is there twice`);
  for (const manifest of manifests.filter(isWorkload)) faults.push(...faultsOfWorkload(manifest, manifests));
  for (const { kind, metadata, spec } of manifests) {
    const isOpen = kind === 'Service' && (spec.type ?? 'ClusterIP') !== 'ClusterIP';
    // Devices reach the DICOM receiver without an ingress.
    if (isOpen && metadata.labels['app.kubernetes.io/component'] !== 'dicom')
      faults.push(`${metadata.name} opens a port`);
  }
  return faults;
}

function faultsOfWorkload(workload, manifests) {
  const { kind, metadata } = workload;
  const spec = specOf(workload);
  const pod = spec.template.spec;
  const { securityContext = {} } = pod;
  const containers = [...(pod.initContainers ?? []), ...pod.containers];
  const broken = {
    'runs as root': securityContext.runAsNonRoot !== true || !(securityContext.runAsUser > 0),
    'has no seccomp profile': securityContext.seccompProfile?.type !== 'RuntimeDefault',
    'gets a token of the API server': pod.automountServiceAccountToken !== false,
    'shares something with its node': pod.hostNetwork || pod.hostPID || pod.hostIPC,
    'mounts a folder of its node': (pod.volumes ?? []).some(({ hostPath }) => hostPath),
    'is not selected by its own labels': !matches(spec.selector?.matchLabels ?? {}, spec.template.metadata.labels),
    'has no PodDisruptionBudget':
      kind === 'Deployment' &&
      !manifests.some(
        (other) =>
          other.kind === 'PodDisruptionBudget' &&
          matches(other.spec.selector.matchLabels, spec.template.metadata.labels),
      ),
  };
  const faults = Object.entries(broken).flatMap(([says, is]) => (is ? [`${metadata.name} ${says}`] : []));
  const mounted = new Set(
    (pod.volumes ?? []).concat(spec.volumeClaimTemplates?.map(({ metadata: m }) => m) ?? []).map(({ name }) => name),
  );
  for (const container of containers) {
    const says = faultsOfContainer(
      container,
      kind === 'Deployment' || (!ending.includes(kind) && pod.containers.includes(container)),
    );
    const lost = (container.volumeMounts ?? []).filter(({ name }) => !mounted.has(name));
    faults.push(...says.map((fault) => `${metadata.name}/${container.name} ${fault}`));
    faults.push(...lost.map(({ name }) => `${metadata.name}/${container.name} mounts ${name}, which is no volume`));
  }
  return faults;
}

function faultsOfContainer({ securityContext = {}, image, resources, env = [], ...container }, isLong) {
  const broken = {
    'may write its root file system': securityContext.readOnlyRootFilesystem !== true,
    'may gain rights': securityContext.allowPrivilegeEscalation !== false,
    'has capabilities': String(securityContext.capabilities?.drop) !== 'ALL' || securityContext.capabilities.add,
    'runs as root': securityContext.runAsUser === 0 || securityContext.privileged,
    'has no limit of memory': !resources?.limits?.memory,
    'has no request of processor and memory': !resources?.requests?.cpu || !resources.requests.memory,
    'has no exact version of its image': !/:\d+\.\d+\.\d+(-[\w.-]+)?$/.test(image),
    'has no probe': isLong && !container.livenessProbe && !container.readinessProbe,
  };
  const plain = env.filter(({ name, value }) => value !== undefined && secretSettings.test(name));
  const spoken = [container.command, container.args]
    .flat()
    .filter((word) => /password=|--requirepass/i.test(word ?? ''));
  return [
    ...Object.entries(broken).flatMap(([says, is]) => (is ? [says] : [])),
    ...plain.map(({ name }) => `has ${name} as plain text`),
    ...spoken.map(() => 'has a password among its arguments'),
  ];
}

const matches = (selector, labels) => Object.entries(selector).every(([name, value]) => labels[name] === value);
