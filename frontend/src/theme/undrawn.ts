/** The weights of icons that no screen uses. The build removes their drawings. */
export const undrawn: readonly string[] = ['thin', 'light'];

/** The icons that have a bold drawing. The build removes it from all others. */
export const bold: readonly string[] = ['CaretDown', 'CaretUp', 'CaretUpDown', 'Check', 'Checks', 'DotsThreeVertical'];
