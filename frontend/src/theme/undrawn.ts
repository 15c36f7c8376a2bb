/** Weights of the icons that no screen uses: the build leaves their drawings out. */
export const undrawn: readonly string[] = ['thin', 'light'];
