import { annotationCalls } from '@lightbox/contract/annotations/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { exportAnnotations } from './exportLayer.js';
import { getAnnotations, getStudyAnnotations } from './layers.js';
import { deleteAnnotations, saveAnnotations } from './saveLayer.js';

export function annotationRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, annotationCalls, {
    getAnnotations,
    getStudyAnnotations,
    saveAnnotations,
    deleteAnnotations,
    exportAnnotations,
  });
}
