/** Returns the nearest value that a byte holds. */
export const clamp = (value: number): number => (value < 0 ? 0 : value > 255 ? 255 : Math.round(value));
