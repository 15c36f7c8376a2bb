/** Binds a sealed preview to its image, separate from the chunks of the original, which the same key seals. */
export const previewContext = (imageId: string): string => `${imageId}:preview`;
