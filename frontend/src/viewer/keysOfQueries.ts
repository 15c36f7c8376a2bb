/** The keys of the viewer's queries, which the events of the socket need before the viewer is loaded. */
export const viewerKey = ['viewer'] as const;
export const studiesKey = [...viewerKey, 'study'] as const;
