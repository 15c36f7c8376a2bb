import { imageCalls } from '@lightbox/contract/images/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { blackOut } from './blackOut.js';
import { getDeidentified, getDeidentifiedChanges } from './deidentified.js';
import { explainAccess } from './explainAccess.js';
import { findKnown } from './findKnown.js';
import { getFrame, getFrames, getTags } from './frames.js';
import { getImage, listImages, listMyImages, listSharedImages } from './listImages.js';
import { findPlace, listMonths } from './months.js';
import { deleteImage } from './removeImage.js';
import { searchImages } from './searchImages.js';
import { sendPreview, streamContent } from './streamContent.js';
import { getTimeline } from './timeline.js';
import { uploadImage } from './uploadImage.js';

export function imageRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, imageCalls, {
    uploadImage,
    findKnown,
    listImages,
    listMyImages,
    listSharedImages,
    searchImages,
    listMonths,
    findPlace,
    getImage,
    getImageContent: streamContent,
    getImagePreview: sendPreview,
    getFrames,
    getFrame,
    getTags,
    getDeidentified,
    getDeidentifiedChanges,
    blackOut,
    getTimeline,
    explainAccess,
    deleteImage,
  });
}
