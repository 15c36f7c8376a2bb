/** The first match counts: most browsers also name those whose engine they share. */
const browsers: [name: string, mark: RegExp][] = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\b(OPR|Opera)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /(Chrome|\bCriOS)\//],
  ['Safari', /\bSafari\//],
];
const systems: [name: string, mark: RegExp][] = [
  ['iPadOS', /\biPad\b/],
  ['iOS', /\biP(hone|od)\b/],
  ['Android', /\bAndroid\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b|\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
];

/**
 * Returns browser and system: enough to recognise one's own devices. Versions and models are left out, because they
 * would identify people.
 */
export function deviceOf(userAgent: string): { browser?: string; system?: string } {
  const find = (families: typeof browsers) => families.find(([, mark]) => mark.test(userAgent))?.[0];
  const [browser, system] = [find(browsers), find(systems)];
  return { ...(browser ? { browser } : {}), ...(system ? { system } : {}) };
}
