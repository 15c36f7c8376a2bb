/** The weights of icons that no screen uses. The build removes their drawings. */
export const undrawn: readonly string[] = ['thin', 'light'];
