import { fhirTypes, shapeOf } from '@lightbox/contract/fhir/resources.js';
import type { Product } from '@lightbox/testkit/product.js';
import { call } from '../bench/client.js';
import { readers, type Tokens } from './plant.js';

/** A resource, as far as the check looks into it. */
export interface Resource {
  resourceType: string;
  id?: string;
  entry?: { resource: Resource }[];
  link?: { relation: string; url: string }[];
}
export interface Judged {
  name: string;
  resource: Resource;
}

/** Pages of one search, and resources of each kind that are read by themselves. */
const PAGES = 3;
const READS = 10;

/** Reads everything that FHIR offers, as each role: the searches with each parameter, the pages, the resources, the errors. */
export async function collect({ url }: Product, tokens: Tokens): Promise<Judged[]> {
  const judged: Judged[] = [];
  const ask = async (name: string, address: string, token?: string, method = 'GET'): Promise<Resource> => {
    const { status, body } = await call(address, { method, token });
    if (status >= 500) throw new Error(`${name}: ${status} ${body}`);
    const resource = JSON.parse(body.toString()) as Resource;
    judged.push({ name: `${name} (${status})`, resource });
    return resource;
  };
  const base = `${url}/fhir`;
  await ask('metadata', `${base}/metadata`);
  await ask('nobody', `${base}/Patient`);
  for (const role of readers) {
    const token = tokens[role];
    for (const type of fhirTypes) {
      const { params, includes } = shapeOf(type);
      const read = new Map<string, Resource>();
      let next: string | undefined = `${base}/${type}?_count=5${includes ? `&_include=${type}:subject` : ''}`;
      for (let page = 1; next && page <= PAGES; page++) {
        const bundle: Resource = await ask(`${role} ${type} page ${page}`, next, token);
        for (const { resource } of bundle.entry ?? []) {
          if (resource.id) read.set(`${resource.resourceType}/${resource.id}`, resource);
        }
        next = bundle.link?.find(({ relation }) => relation === 'next')?.url;
      }
      for (const name of [...read.keys()].slice(0, READS)) await ask(`${role} ${name}`, `${base}/${name}`, token);
      for (const [name, param] of Object.entries(params)) {
        const value = param.type === 'date' ? 'ge2020' : 'x';
        await ask(`${role} ${type} by ${name}`, `${base}/${type}?${name}=${value}`, token);
      }
      await ask(`${role} ${type} that is not there`, `${base}/${type}/000000000000000000000000`, token);
      await ask(`${role} ${type} by an unknown parameter`, `${base}/${type}?colour=red`, token);
      await ask(`${role} changes ${type}`, `${base}/${type}`, token, 'POST');
    }
  }
  return judged;
}
