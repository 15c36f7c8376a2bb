/** Binds a sealed preview to its image, apart from the chunks of the original that the same key seals. */
export const previewContext = (imageId: string): string => `${imageId}:preview`;
