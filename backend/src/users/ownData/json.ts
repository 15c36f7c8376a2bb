/** Writes rows that come in chunks as one JSON array, a chunk at a time. */
export async function* jsonArray(chunks: AsyncIterable<unknown[]>): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const rows of chunks) {
    for (const row of rows) {
      yield `${separator}${JSON.stringify(row)}`;
      separator = ',\n';
    }
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}
