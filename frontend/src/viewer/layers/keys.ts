import { viewerKey } from '../keysOfQueries';

/** The key of the queries of layers, which the events of the socket need before the viewer is loaded. */
export const layersKey = [...viewerKey, 'layers'] as const;
