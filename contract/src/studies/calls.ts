import { z } from 'zod';
import { call } from '../call.js';
import { Id, Params, text } from '../ids.js';
import { FrameFacts } from '../images/drawing.js';
import { Study, StudyTitle } from './schemas.js';

export const studyCalls = {
  createStudy: call({
    method: 'post',
    path: '/studies',
    who: 'image.upload',
    scopes: ['upload'],
    action: 'study.created',
    summary: 'Begin a study of pictures and PDFs; files join it by `studyId` of their upload',
    body: z.strictObject({ title: StudyTitle, patientId: Id.optional() }),
    data: Study,
    status: 201,
    creates: true,
    throttles: ['study'],
  }),
  getStudy: call({
    method: 'get',
    path: '/studies/:id',
    who: 'image.read',
    scopes: ['read'],
    action: 'study.read',
    summary: 'One study with its series, and the images of each in order',
    params: Params,
    data: Study,
  }),
  /**
   * An image is missing while it is not drawn, and in the answer for good afterwards: one that cannot be drawn has the
   * kind `none`. A client asks again until it has every image of the study. The answer comes at once when any image is
   * drawn; while none is, it waits up to `limits.drawingSeconds` and is then `PREVIEW_PENDING`.
   */
  getStudyFrames: call({
    method: 'get',
    path: '/studies/:id/frames',
    who: 'image.read',
    scopes: ['read'],
    action: 'study.frames',
    guests: true,
    summary: 'The facts of every image of the study that is drawn, by the id of the image; ask again for the others',
    params: Params,
    data: z.record(z.string(), FrameFacts),
    fails: ['NOT_VERIFIED', 'PREVIEW_PENDING'],
  }),
  getStudyContent: call({
    method: 'get',
    path: '/studies/:id/content',
    who: 'image.read',
    scopes: ['read'],
    action: 'study.content',
    guests: true,
    summary: 'The original files of the study, bit for bit, in a zip',
    params: Params,
    binary: ['application/zip'],
    fails: ['NOT_VERIFIED', 'NO_DOWNLOAD'],
  }),
  updateStudy: call({
    method: 'put',
    path: '/studies/:id',
    who: 'image.upload',
    action: 'study.updated',
    summary: 'Give a study another title',
    params: Params,
    body: z.strictObject({ title: StudyTitle }),
    data: Study,
  }),
  deleteStudy: call({
    method: 'delete',
    path: '/studies/:id',
    who: 'image.delete',
    action: 'study.deleted',
    summary: 'Delete a study with all its images, their blobs, previews and analyses, and all shares',
    params: Params,
    body: z.strictObject({ reason: text(500).optional() }).default({}),
    fails: ['LEGAL_HOLD'],
  }),
};
