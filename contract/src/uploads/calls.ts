import { call } from '../call.js';
import { Params } from '../ids.js';
import { tusPath } from './tusPath.js';

const refusals = ['UNSUPPORTED_TYPE', 'UNREADABLE_FILE', 'TOO_MANY_PIXELS', 'PATIENT_MISMATCH'] as const;

/**
 * Resumable uploads by tus 1.0.0 (https://tus.io/protocols/resumable-upload), with creation, termination and expiration.
 * `Upload-Metadata` has `filename`, `filetype` and the fields of `POST /upload/image`. When the file is stored, HEAD and
 * the last PATCH have `Lightbox-Image` with the id of the image. Success has no body; a refusal is the usual envelope,
 * with the status that `POST /upload/image` has for it.
 */
export const uploadCalls = {
  describeUploads: call({
    method: 'options',
    path: tusPath,
    who: 'anyone',
    summary: 'tus: version, extensions and the largest file',
    tus: true,
    status: 204,
  }),
  createUpload: call({
    method: 'post',
    path: tusPath,
    who: 'image.upload',
    scopes: ['upload'],
    senders: true,
    action: 'image.upload',
    summary:
      'tus: begin a resumable upload; Upload-Length, and Upload-Metadata with filename, filetype and the fields of POST /upload/image',
    tus: true,
    status: 201,
    fails: ['VALIDATION_FAILED', 'UNREADABLE_FILE', 'FILE_TOO_LARGE', 'QUOTA_REACHED', 'UNSUPPORTED_VERSION'],
    throttles: ['upload'],
  }),
  getUpload: call({
    method: 'head',
    path: `${tusPath}/:id`,
    who: 'image.upload',
    scopes: ['upload'],
    senders: true,
    summary: 'tus: how much of the upload has arrived, in Upload-Offset; Lightbox-Image when it is stored',
    params: Params,
    tus: true,
    fails: ['VALIDATION_FAILED', 'EXPIRED', 'UNSUPPORTED_VERSION', ...refusals],
  }),
  continueUpload: call({
    method: 'patch',
    path: `${tusPath}/:id`,
    who: 'image.upload',
    scopes: ['upload'],
    senders: true,
    action: 'image.upload',
    summary: 'tus: send bytes from Upload-Offset on; the last ones make the image, named by Lightbox-Image',
    params: Params,
    tus: true,
    status: 204,
    fails: [
      ...(['VALIDATION_FAILED', 'EXPIRED', 'CONFLICT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const),
      'UNSUPPORTED_VERSION',
      ...refusals,
    ],
    causes: ['share.create', 'request.file'],
    throttles: ['uploadParts', 'studyFiles', 'shareMail'],
  }),
  endUpload: call({
    method: 'delete',
    path: `${tusPath}/:id`,
    who: 'image.upload',
    scopes: ['upload'],
    senders: true,
    summary: 'tus: give up an upload; what has arrived is removed, an image that is stored stays',
    params: Params,
    tus: true,
    status: 204,
    fails: ['UNSUPPORTED_VERSION'],
    throttles: ['uploadParts'],
  }),
};
