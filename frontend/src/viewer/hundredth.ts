/** Rounds a coordinate of a pixel to the hundredth in which places in a frame are kept, compared and told to others. */
export const hundredth = (value: number) => Math.round(value * 100) / 100;
