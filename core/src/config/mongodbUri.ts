/**
 * Options of MONGODB_URI that could let the product work with less than a majority, each with the values that are
 * allowed.
 */
const strict: Record<string, RegExp> = {
  readpreference: /^primary$/i,
  readconcernlevel: /^majority$/i,
  w: /^majority$/i,
  journal: /^true$/i,
};

export function faultOfMongodbUri(value: string): string | null {
  if (!/^mongodb(\+srv)?:\/\/./.test(value)) return 'must start with mongodb:// or mongodb+srv://';
  const options = new URLSearchParams(/\?(.*)$/.exec(value)?.[1]);
  for (const [name, said] of options) {
    const good = strict[name.toLowerCase()];
    if (good && !good.test(said)) {
      return `must not set ${name}=${said}: Lightbox reads from the primary, and reads and writes with a majority`;
    }
  }
  return null;
}
