import type { ImageRequest } from '@lightbox/contract/requests/calls.js';
import { requestState } from '@lightbox/contract/requests/states.js';
import { heldUntil } from '@lightbox/core/access/requests.js';
import { openField } from '@lightbox/core/guests/sealed.js';
import type { ImageRequestDoc } from '@lightbox/core/models/imageRequest.js';
import type { Gateway } from '../context.js';
import { namesOf } from '../users/names.js';

/** Presents requests to the person who asked. */
export async function presentRequests(gateway: Gateway, requests: ImageRequestDoc[]): Promise<ImageRequest[]> {
  const now = gateway.clock.now();
  const name = await namesOf(
    gateway.models,
    requests.map(({ patient }) => patient),
  );
  return requests.map((request) => ({
    id: String(request._id),
    kind: request.kind,
    state: requestState(request, now),
    createAt: request.createAt.toISOString(),
    expiresAt: request.expiresAt.toISOString(),
    email: openField(gateway.keys, request, 'email'),
    note: openField(gateway.keys, request, 'note'),
    ...(request.patient ? { patient: name(request.patient) } : {}),
    files: request.files,
    bytes: request.bytes,
    ...(request.receivedAt ? { receivedAt: request.receivedAt.toISOString() } : {}),
    ...(request.receivedAt && request.state === 'received'
      ? { heldUntil: heldUntil(request.receivedAt).toISOString() }
      : {}),
  }));
}
