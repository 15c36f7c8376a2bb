/** Resolves like `work`, and rejects when it takes longer. The work itself is not stopped. */
export async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`There was no answer within ${ms} ms.`)), ms);
  });
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}
