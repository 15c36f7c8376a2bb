import { randomUUID } from 'node:crypto';
import type { Layer, Layers, Mark, SaveLayer } from '@lightbox/contract/annotations/schemas.js';
import type { BuiltImage, Person } from './factories.js';
import type { useGateway } from './useGateway.js';

/** Returns a mark: a length, unless something else is said. */
export const line = (changes: Partial<Mark> = {}): Mark => ({
  id: randomUUID(),
  kind: 'length',
  frame: 1,
  points: [
    [10, 20.25],
    [40, 60.25],
  ],
  ...changes,
});
export const probe = (pixels: Mark['pixels']): Mark => line({ kind: 'probe', points: [[70, 90]], pixels });

export const layerPath = (image: BuiltImage) => `/upload/image/${image.id}/annotations`;

/** The calls about layers to the gateway of a test file. */
export function layerCalls({ api }: Pick<ReturnType<typeof useGateway>, 'api'>) {
  const read = async (as: Person, image: BuiltImage): Promise<Layers> =>
    (await api.as(as).get(layerPath(image)).expect(200)).body.data;
  const put = (as: Person, image: BuiltImage, body: Partial<SaveLayer>) =>
    api.as(as).put(layerPath(image), { version: 0, shared: false, marks: [], ...body });
  const save = async (as: Person, image: BuiltImage, body: Partial<SaveLayer>): Promise<Layer> =>
    (await put(as, image, body).expect(200)).body.data;
  return { read, put, save };
}
