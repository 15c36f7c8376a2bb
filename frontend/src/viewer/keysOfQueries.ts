/** The key of the viewer's queries, which the events of the socket need before the viewer is loaded. */
export const viewerKey = ['viewer'] as const;
