import { z } from 'zod';
import { call } from '../call.js';
import { Id, Time } from '../ids.js';
import { oneOf } from '../oneOf.js';

/** Opening an image or a study in another viewer of the clinic, such as OHIF, by DICOMweb. */
export const otherViewerCalls = {
  openElsewhere: call({
    method: 'post',
    path: '/sharing/viewer',
    who: 'image.read',
    action: 'token.viewer',
    summary:
      'An address that opens exactly this image or study in the other viewer, for an hour; it is in this answer only',
    body: oneOf(z.strictObject({ imageId: Id.optional(), studyId: Id.optional() }), 'imageId', 'studyId'),
    data: z.object({
      /** Of the token in the address: ending it ends what was opened. */
      id: Id,
      url: z.string(),
      expiresAt: Time,
    }),
    status: 201,
    fails: ['NOT_FOUND', 'NOT_VERIFIED', 'CONFLICT'],
    throttles: ['otherViewer'],
  }),
};
