import { analysisCalls } from '@lightbox/contract/analysis/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { getAnalysis, startAnalysis } from './analysis.js';

export function analysisRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, analysisCalls, {
    getAnalysis,
    startAnalysis,
  });
}
