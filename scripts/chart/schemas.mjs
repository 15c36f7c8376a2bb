// Schemas for kubeconform, made from what the projects themselves publish as Go modules.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { run } from './run.mjs';

const modules = {
  kubernetes: 'k8s.io/kubernetes@v1.36.3',
  keda: 'github.com/kedacore/keda/v2@v2.20.2',
  prometheus: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
};
const folderOf = (module) => JSON.parse(run('go', ['mod', 'download', '-json', module])).Dir;

/** The definitions of the kinds of KEDA and of the Prometheus Operator. */
export function customResources() {
  const keda = join(folderOf(modules.keda), 'config/crd/bases');
  const prometheus = join(folderOf(modules.prometheus), 'example/prometheus-operator-crd');
  return [
    join(keda, 'keda.sh_scaledobjects.yaml'),
    join(prometheus, 'monitoring.coreos.com_podmonitors.yaml'),
    join(prometheus, 'monitoring.coreos.com_prometheusrules.yaml'),
  ].map((file) => parse(readFileSync(file, 'utf8')));
}

/** Writes a schema for each kind into a folder, and returns the template of their names for kubeconform. */
export function writeSchemas(folder, definitionsOfKinds) {
  mkdirSync(folder, { recursive: true });
  const swagger = join(folderOf(modules.kubernetes), 'api/openapi-spec/swagger.json');
  const { definitions } = JSON.parse(readFileSync(swagger, 'utf8'));
  for (const schema of Object.values(definitions)) refuseOthers(schema);
  // A number or a text, of which the published schema says only that it is a text.
  const either = { oneOf: [{ type: 'string' }, { type: 'number' }] };
  definitions['io.k8s.apimachinery.pkg.util.intstr.IntOrString'] = either;
  definitions['io.k8s.apimachinery.pkg.api.resource.Quantity'] = either;
  for (const [name, schema] of Object.entries(definitions)) {
    for (const { group, version, kind } of schema['x-kubernetes-group-version-kind'] ?? []) {
      write(folder, kind, group, version, { definitions, $ref: `#/definitions/${name}` });
    }
  }
  for (const { spec } of definitionsOfKinds) {
    for (const { name, schema } of spec.versions)
      write(folder, spec.names.kind, spec.group, name, schema.openAPIV3Schema);
  }
  return join(folder, '{{ .ResourceKind }}-{{ .Group }}-{{ .ResourceAPIVersion }}.json');
}

/** kubeconform takes the version as the group of the kinds that have none. */
function write(folder, kind, group, version, schema) {
  writeFileSync(join(folder, `${kind}-${group || version}-${version}.json`.toLowerCase()), JSON.stringify(schema));
}

/** Makes a misspelt field a fault. */
function refuseOthers(schema) {
  if (schema.properties && !schema['x-kubernetes-preserve-unknown-fields']) schema.additionalProperties ??= false;
}
