import { analysisCalls } from '@lightbox/contract/analysis/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { getAnalysis, getAnalysisTarget, startAnalysis } from './analysis.js';
import { getAnalysisReport } from './report.js';
import { signAnalysis, withdrawAnalysis } from './review.js';
import { getPreviousAnalysis, listAnalysisVersions } from './versions.js';

export function analysisRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, analysisCalls, {
    getAnalysisTarget,
    getAnalysis,
    startAnalysis,
    signAnalysis,
    withdrawAnalysis,
    listAnalysisVersions,
    getPreviousAnalysis,
    getAnalysisReport,
  });
}
