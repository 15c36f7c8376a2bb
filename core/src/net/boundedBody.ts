/**
 * Returns the response with a body that fails beyond `most` bytes, counted after they are unpacked: a server of somebody else
 * may send any number of them. `refuse` returns the error.
 */
export function boundedBody(response: Response, most: number, refuse: () => Error): Response {
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes <= most) controller.enqueue(chunk);
      else controller.error(refuse());
    },
  });
  return new Response(response.body?.pipeThrough(counted) ?? null, response);
}
