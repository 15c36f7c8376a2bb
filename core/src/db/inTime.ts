/** Thrown for work that takes too long. Its end is not known. */
export class NotInTime extends Error {
  override name = 'NotInTime';

  constructor(ms: number) {
    super(`There was no answer within ${ms} ms.`);
  }
}

/** Resolves like `work`, and rejects when it takes longer. The work itself is not stopped. */
export async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NotInTime(ms)), ms);
  });
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}
