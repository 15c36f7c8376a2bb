/** The bell of the top bar, with its list. */
export function Bell() {
  return null;
}

/** The same as an entry of the phone's bottom bar. */
export function NoticesTab() {
  return null;
}
