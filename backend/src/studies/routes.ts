import { studyCalls } from '@lightbox/contract/studies/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { createStudy, deleteStudy, getStudy, updateStudy } from './studies.js';
import { getStudyContent } from './studyContent.js';
import { getStudyFrames } from './studyFrames.js';

export function studyRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, studyCalls, {
    createStudy,
    getStudy,
    getStudyFrames,
    getStudyContent,
    updateStudy,
    deleteStudy,
  });
}
