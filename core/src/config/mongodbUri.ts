/** Options of MONGODB_URI that would have the product answer from less than a majority, each with the values that do not. */
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
      return `must not say ${name}=${said}: Lightbox reads from the primary, and reads and writes what a majority has`;
    }
  }
  return null;
}
