/**
 * Returns the response with a body that fails beyond `most` bytes, counted after they are unpacked: a server of somebody else
 * may send any number of them. `refuse` returns the error. The body also fails when `signal` aborts: Node 20 forgets the
 * signal of a request that does not follow redirects as soon as the garbage collector runs, and the body would never end.
 */
export function boundedBody(
  response: Response,
  most: number,
  refuse: () => Error,
  signal: AbortSignal | null | undefined,
): Response {
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes <= most) controller.enqueue(chunk);
      else controller.error(refuse());
    },
  });
  const body = response.body?.pipeThrough(counted, signal ? { signal } : {});
  return new Response(body ?? null, response);
}
