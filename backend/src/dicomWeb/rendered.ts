import type { QueryOf } from '@lightbox/contract/call.js';
import type { dicomWebCalls } from '@lightbox/contract/dicomWeb/calls.js';
import { AppError } from '@lightbox/core/errors.js';
import { type PictureFormat, pictureFormats } from '@lightbox/core/imaging/formats.js';
import type { Request } from 'express';
import { acceptedBy, takesWhole } from '../http/accept.js';
import { checkAgain, stream } from '../http/stream.js';
import { guarded } from '../images/imageBytes.js';
import { countRead } from '../images/looks.js';
import { renderedFrame } from '../images/renderedFrame.js';
import { type Call, type Found, mayStill, requireInstances, type Uids } from './instances.js';
import { seenFile } from './retrieve.js';

interface Render extends Call<Required<Uids> & { frames?: number[] }> {
  query: QueryOf<typeof dicomWebCalls.renderInstance>;
}

/** Sends a frame as a worker draws it (WADO-RS, PS3.18 §10.4.1.1.3): the first one unless the path names another. */
export async function render(context: Render): Promise<undefined> {
  const { gateway, viewer, params, query, req } = context;
  const [found] = (await requireInstances(gateway, viewer, params, 'open')) as [Found];
  const { image } = found;
  const [frame = 1, ...others] = params.frames ?? [];
  // Several pictures would be parts, which no worker has drawn yet.
  if (others.length > 0) throw new AppError('NOT_ACCEPTABLE');
  if (frame > (image.dicom?.frames ?? 1)) throw new AppError('NO_FRAME');
  const format = formatFor(req);
  const may = mayStill(gateway, [found], 'open');
  const window = query.window ? { window: query.window } : {};
  const picture = await renderedFrame(gateway, context, image, { frame, format, ...window });
  // The right may have ended while a worker drew.
  await checkAgain(context, may);
  const record = () => countRead(context, 'image.view', seenFile(found));
  const headers = { ...guarded(`image/${format}`), 'Content-Length': String(picture.length) };
  await stream(context, { headers, chunks: picture, record, may });
  return undefined;
}

/** The first format that the client accepts; JPEG when it takes any (PS3.18 §8.7.3.3.1). */
function formatFor(req: Request): PictureFormat {
  for (const accepted of acceptedBy(req)) {
    const format = pictureFormats.find((one) => takesWhole(accepted, `image/${one}`));
    if (format) return format;
  }
  throw new AppError('NOT_ACCEPTABLE');
}
