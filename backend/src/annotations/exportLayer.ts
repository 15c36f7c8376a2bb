import type { annotationCalls } from '@lightbox/contract/annotations/calls.js';
import type { ExportFormat } from '@lightbox/contract/annotations/schemas.js';
import { requireImage } from '@lightbox/core/access/images.js';
import { findLayers } from '@lightbox/core/annotations/layers.js';
import { openMarks } from '@lightbox/core/annotations/marks.js';
import { oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Context, Reader } from '../context.js';
import { drawings, pending, tags } from '../images/drawings.js';
import { seenImage, sendBytes } from '../images/imageBytes.js';
import { recordLook } from '../images/looks.js';
import type { LayerFacts } from './dicom/layer.js';
import { presentationOf } from './dicom/presentation.js';
import { reportOf } from './dicom/report.js';
import { headerOf } from './dicom/values.js';
import { dicomFile } from './dicom/write.js';
import { authorsFor, readableBy } from './layers.js';

const writers: Record<ExportFormat, (layer: LayerFacts) => Record<string, unknown>> = {
  sr: reportOf,
  gsps: presentationOf,
};

/** An author whom the viewer does not know. */
const nobody = { firstname: '', lastname: 'Unknown' };

/** Sends a layer as a DICOM file. It names the patient as the image does: only for people who may have the original. */
export async function exportAnnotations(
  context: Context<typeof annotationCalls.exportAnnotations>,
): Promise<undefined> {
  const { gateway, viewer, params, query } = context;
  const may = (reader: Reader) => requireImage(gateway.models, reader, params.id, 'exportMarks', gateway.clock.now());
  const access = await may(viewer);
  const { image } = access;
  if (image.contentType !== 'application/dicom') throw new AppError('NOT_DICOM');
  const author = query.author === undefined ? viewer._id : oid(query.author);
  const [[layer], drawing, rows] = await Promise.all([
    findLayers(gateway.models, { image: image._id, author, ...readableBy(viewer) }),
    drawings.read(gateway, image._id),
    tags.read(gateway, image._id),
  ]);
  if (!layer) throw new AppError('NOT_FOUND');
  if (!drawing || !rows) throw pending();
  const marks = openMarks(gateway, image, layer);
  if (marks.length === 0) throw new AppError('NOT_FOUND');
  const name = await authorsFor(gateway, viewer, [layer]);
  const bytes = dicomFile(
    writers[query.format]({
      id: String(layer._id),
      version: layer.version,
      updateAt: layer.updateAt,
      author: name(author) ?? nobody,
      marks,
      facts: drawings.open(gateway, image, drawing).drawing.facts,
      header: headerOf(tags.open(gateway, image, rows)),
    }),
  );
  return sendBytes(context, {
    contentType: 'application/dicom',
    length: bytes.length,
    disposition: `attachment; filename="${image._id}-${query.format}.dcm"`,
    chunks: (async function* () {
      yield bytes;
    })(),
    record: () => recordLook(context, 'annotation.exported', seenImage(access)),
    may,
  });
}
