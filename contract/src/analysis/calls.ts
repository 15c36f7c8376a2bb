import { z } from 'zod';
import { call } from '../call.js';
import { Id } from '../ids.js';
import { AnalysisAnswer } from './schemas.js';

const ImageParams = z.strictObject({ imageId: Id });

export const analysisCalls = {
  getAnalysis: call({
    method: 'get',
    path: '/analyze/:imageId',
    who: 'analysis.run',
    action: 'analysis.read',
    summary: 'The analysis; the first call starts it',
    params: ImageParams,
    data: AnalysisAnswer,
    alsoStatus: 202,
    fails: ['NOT_VERIFIED', 'NOT_ANALYSABLE'],
    causes: ['analysis.request'],
    throttles: ['analysis'],
  }),
  startAnalysis: call({
    method: 'post',
    path: '/analyze/:imageId',
    who: 'analysis.run',
    action: 'analysis.request',
    summary: 'Run the analysis again',
    params: ImageParams,
    body: z.strictObject({}),
    data: AnalysisAnswer,
    alsoStatus: 202,
    fails: ['NOT_VERIFIED', 'NOT_ANALYSABLE'],
    throttles: ['analysis'],
  }),
};
