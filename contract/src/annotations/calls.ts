import { z } from 'zod';
import { call } from '../call.js';
import { Id, Params } from '../ids.js';
import { exportFormats, Layer, Layers, SaveLayer } from './schemas.js';

export const annotationCalls = {
  getAnnotations: call({
    method: 'get',
    path: '/upload/image/:id/annotations',
    who: 'image.read',
    scopes: ['read'],
    action: 'image.view',
    guests: true,
    summary: 'Measurements and arrows on an image: the caller’s own layer, and the layers that others share',
    params: Params,
    data: Layers,
    fails: ['NOT_VERIFIED'],
  }),
  getStudyAnnotations: call({
    method: 'get',
    path: '/studies/:id/annotations',
    who: 'image.read',
    scopes: ['read'],
    action: 'study.frames',
    guests: true,
    summary: 'The same layers of all images of a study',
    params: Params,
    data: Layers,
    fails: ['NOT_VERIFIED'],
  }),
  saveAnnotations: call({
    method: 'put',
    path: '/upload/image/:id/annotations',
    who: 'image.read',
    action: 'annotation.saved',
    summary: 'Keep the caller’s own layer of an image, and share it with everybody who may open the image, or not',
    params: Params,
    body: SaveLayer,
    data: Layer,
    fails: ['NOT_VERIFIED', 'MARKS_CHANGED', 'LEGAL_HOLD'],
    throttles: ['annotation'],
  }),
  deleteAnnotations: call({
    method: 'delete',
    path: '/upload/image/:id/annotations',
    who: 'image.read',
    action: 'annotation.removed',
    summary: 'Remove the caller’s own layer of an image',
    params: Params,
    fails: ['NOT_VERIFIED', 'LEGAL_HOLD'],
  }),
  exportAnnotations: call({
    method: 'get',
    path: '/upload/image/:id/annotations/dicom',
    who: 'image.read',
    scopes: ['read'],
    action: 'annotation.exported',
    summary:
      'A layer as a DICOM structured report (TID 1500) or presentation state; without an author the caller’s own',
    params: Params,
    query: z.strictObject({ format: z.enum(exportFormats), author: Id.optional() }),
    binary: ['application/dicom'],
    fails: ['NOT_VERIFIED', 'NO_DOWNLOAD', 'NOT_DICOM', 'NOT_GRAYSCALE', 'PREVIEW_PENDING'],
  }),
};
