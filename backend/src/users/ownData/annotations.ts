import { openMarks } from '@lightbox/core/annotations/marks.js';
import { unlessDamaged } from '@lightbox/core/errors.js';
import type { AnnotationDoc } from '@lightbox/core/models/annotation.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { Gateway, Viewer } from '../../context.js';
import { jsonArray } from './json.js';

/** Reads the layers of marks that a person has made. */
async function* layersBy({ models, pages, ...gateway }: Gateway, viewer: Viewer) {
  const source = {
    model: models.Annotation,
    filter: { author: viewer._id },
    sort: ['_id'] as const,
    direction: 1 as const,
  };
  for await (const rows of pages.all<AnnotationDoc>(source)) {
    const ids = rows.map(({ image }) => image);
    const images = await models.Image.find({ _id: { $in: ids } }, { dataKey: 1 }).lean<
      Pick<ImageDoc, '_id' | 'dataKey'>[]
    >();
    yield rows.flatMap((layer) => {
      const image = images.find(({ _id }) => _id.equals(layer.image));
      const marks = image && unlessDamaged(gateway.log, () => openMarks(gateway, image, layer));
      return marks
        ? [{ imageId: String(layer.image), shared: layer.shared, at: layer.updateAt.toISOString(), marks }]
        : [];
    });
  }
}

export const annotationsAsJson = (gateway: Gateway, viewer: Viewer) => jsonArray(layersBy(gateway, viewer));
