import type { Layer, Layers } from '@lightbox/contract/annotations/schemas.js';
import type { UserRef } from '@lightbox/contract/users/schemas.js';

/** The key of the person's own layers. */
export const OWN = 'own';

/** The layers of one author among the opened images. */
export interface AuthorLayers {
  key: string;
  /** Absent for the person's own, and where the viewer is a guest. */
  author: UserRef | undefined;
  mine: boolean;
  layers: readonly Layer[];
}

const isOf = (layer: Layer, me: string | undefined) => me !== undefined && layer.author?.id === me;

/** Returns the person's own layers by the id of the image. */
export const ownLayers = ({ layers }: Layers, me: string | undefined) =>
  new Map(layers.filter((layer) => isOf(layer, me)).map((layer) => [layer.imageId, layer]));

/** Returns the layers of others among the images. */
export const layersOfOthers = ({ layers }: Layers, images: ReadonlySet<string>, me: string | undefined) =>
  layers.filter((layer) => !isOf(layer, me) && images.has(layer.imageId));

/** Returns the key of the author of a layer. Each layer without an author has a key of its own. */
export const authorKey = (layer: Layer, me: string | undefined) =>
  isOf(layer, me) ? OWN : (layer.author?.id ?? layer.id);

/** Returns the layers of the images by their authors. */
export function byAuthor({ layers }: Layers, images: ReadonlySet<string>, me: string | undefined): AuthorLayers[] {
  const groups = new Map<string, AuthorLayers>();
  for (const layer of layers) {
    if (!images.has(layer.imageId)) continue;
    const mine = isOf(layer, me);
    const key = authorKey(layer, me);
    const group = groups.get(key) ?? { key, author: mine ? undefined : layer.author, mine, layers: [] };
    groups.set(key, { ...group, layers: [...group.layers, layer] });
  }
  return [...groups.values()];
}
