import { z } from 'zod';
import { call } from '../call.js';
import { Id } from '../ids.js';
import { languageCodes } from '../languages.js';
import {
  AnalysisAnswer,
  AnalysisTarget,
  AnalysisVersion,
  PreviousAnalysis,
  SignAnalysis,
  WithdrawAnalysis,
} from './schemas.js';

const ImageParams = z.strictObject({ imageId: Id });

export const analysisCalls = {
  getAnalysisTarget: call({
    method: 'get',
    path: '/analyze',
    who: 'analysis.run',
    summary: 'The provider of analyses, and the host to which it sends a picture, if it sends it anywhere',
    data: AnalysisTarget,
  }),
  getAnalysis: call({
    method: 'get',
    path: '/analyze/:imageId',
    who: 'analysis.read',
    scopes: ['read'],
    action: 'analysis.read',
    summary: 'The analysis; the first call of staff starts it. The image’s patient reads the signed text',
    params: ImageParams,
    data: AnalysisAnswer,
    alsoStatus: 202,
    fails: ['NOT_VERIFIED', 'NOT_ANALYSABLE', 'CONSENT_NEEDED'],
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
    fails: ['NOT_VERIFIED', 'NOT_ANALYSABLE', 'CONSENT_NEEDED'],
    throttles: ['analysis'],
  }),
  signAnalysis: call({
    method: 'post',
    path: '/analyze/:imageId/sign',
    who: 'analysis.sign',
    action: 'analysis.signed',
    summary: 'Sign the draft, with a comment and changes of its text; the image’s patient reads it from then on',
    params: ImageParams,
    body: SignAnalysis,
    data: AnalysisAnswer,
    fails: ['NOT_VERIFIED', 'STALE', 'REVIEW_STATE', 'CONSENT_NEEDED'],
  }),
  withdrawAnalysis: call({
    method: 'post',
    path: '/analyze/:imageId/withdraw',
    who: 'analysis.withdraw',
    action: 'analysis.withdrawn',
    summary: 'Withdraw the signed text, or the draft; the patient reads it no more',
    params: ImageParams,
    body: WithdrawAnalysis,
    data: AnalysisAnswer,
    fails: ['NOT_VERIFIED', 'REVIEW_STATE'],
  }),
  listAnalysisVersions: call({
    method: 'get',
    path: '/analyze/:imageId/versions',
    who: 'analysis.run',
    action: 'analysis.read',
    summary: 'All runs and signatures with their provenance, the newest first',
    params: ImageParams,
    data: z.array(AnalysisVersion),
    fails: ['NOT_VERIFIED'],
  }),
  getPreviousAnalysis: call({
    method: 'get',
    path: '/analyze/:imageId/previous',
    who: 'analysis.run',
    action: 'analysis.read',
    summary:
      'The analysis before this one: of an earlier image of the same patient, else an earlier run; null without one',
    params: ImageParams,
    data: PreviousAnalysis.nullable(),
    fails: ['NOT_VERIFIED'],
  }),
  getAnalysisReport: call({
    method: 'get',
    path: '/analyze/:imageId/report',
    who: 'analysis.read',
    scopes: ['read', 'fhir'],
    action: 'analysis.report',
    summary: 'The analysis as a PDF document to keep, with preview, provenance and signature',
    params: ImageParams,
    query: z.strictObject({
      /** Without it the language of the account. */
      language: z.enum(languageCodes).optional(),
    }),
    binary: ['application/pdf'],
    fails: ['NOT_VERIFIED', 'CONSENT_NEEDED', 'REPORT_PENDING'],
    throttles: ['report'],
  }),
};
