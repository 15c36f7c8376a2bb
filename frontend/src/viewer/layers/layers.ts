import { annotationCalls } from '@lightbox/contract/annotations/calls.js';
import type { ExportFormat, Layer, Layers, SaveLayer } from '@lightbox/contract/annotations/schemas.js';
import { queryOptions } from '@tanstack/react-query';
import { ApiError, download, send } from '../../lib/http';
import { change } from '../../lib/live';
import { queryClient } from '../../lib/query';
import { saveBlob } from '../../lib/save';
import { tokenOfFrames } from '../frames';
import type { Host } from './keeper';
import { layersKey } from './keys';

/** The image or the study whose layers are shown. */
export type Source = { imageId: string } | { studyId: string };

export const layersOf = (source: Source) =>
  queryOptions({
    queryKey: [...layersKey, source],
    queryFn: async ({ signal }): Promise<Layers> => {
      const options = { signal, token: tokenOfFrames() };
      return 'imageId' in source
        ? (await send(annotationCalls.getAnnotations, { params: { id: source.imageId } }, options)).data
        : (await send(annotationCalls.getStudyAnnotations, { params: { id: source.studyId } }, options)).data;
    },
    gcTime: 0,
  });

/** Returns the layers with the one that was saved, also when they were read before the save. */
function withLayer(held: Layers, saved: Layer): Layers {
  const isOwn = ({ imageId, author }: Layer) => imageId === saved.imageId && author?.id === saved.author?.id;
  if (held.layers.some((layer) => isOwn(layer) && layer.version > saved.version)) return held;
  return { ...held, layers: [...held.layers.filter((layer) => !isOwn(layer)), saved] };
}

/** The calls of a keeper for the own layer of an image. */
export const callsFor = (id: string, me: string): Pick<Host, 'save' | 'load' | 'judge'> => ({
  save: async (body: SaveLayer) => {
    const { data } = await send(annotationCalls.saveAnnotations, { params: { id }, body }, { outlives: true });
    change<Layers>(queryClient, layersKey, (held) => withLayer(held, data));
    return data;
  },
  load: async () => {
    const { data } = await send(annotationCalls.getAnnotations, { params: { id } });
    return data.layers.find(({ author }) => author?.id === me);
  },
  judge: (error) => {
    if (!(error instanceof ApiError)) return 'again';
    if (error.code === 'MARKS_CHANGED') return 'stale';
    return error.code === 'LEGAL_HOLD' || [401, 403, 404, 422].includes(error.status) ? 'refused' : 'again';
  },
});

/** Saves a layer as a DICOM file on the device. */
export async function exportLayer(id: string, format: ExportFormat, author: string | undefined): Promise<void> {
  const query = { format, ...(author ? { author } : {}) };
  saveBlob(await download(annotationCalls.exportAnnotations, { params: { id }, query }), `${format}.dcm`);
}
