import { uploadCalls } from '@lightbox/contract/uploads/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { continueUpload, createUpload, describeUploads, endUpload, getUpload } from './tus.js';

export function uploadRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, uploadCalls, { describeUploads, createUpload, getUpload, continueUpload, endUpload });
}
