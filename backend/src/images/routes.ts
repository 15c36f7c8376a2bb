import { imageCalls } from '@lightbox/contract/images/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bind } from '../http/handle.js';
import { explainAccess } from './explainAccess.js';
import { getImage, listImages, listMyImages, listSharedImages } from './listImages.js';
import { deleteImage } from './removeImage.js';
import { sendPreview, streamContent } from './streamContent.js';
import { getTimeline } from './timeline.js';
import { uploadImage } from './uploadImage.js';

export function imageRoutes(router: Router, gateway: Gateway): void {
  bind(router, gateway, imageCalls.uploadImage, uploadImage);
  bind(router, gateway, imageCalls.listImages, listImages);
  bind(router, gateway, imageCalls.listMyImages, listMyImages);
  bind(router, gateway, imageCalls.listSharedImages, listSharedImages);
  bind(router, gateway, imageCalls.getImage, getImage);
  bind(router, gateway, imageCalls.getImageContent, streamContent);
  bind(router, gateway, imageCalls.getImagePreview, sendPreview);
  bind(router, gateway, imageCalls.getTimeline, getTimeline);
  bind(router, gateway, imageCalls.explainAccess, explainAccess);
  bind(router, gateway, imageCalls.deleteImage, deleteImage);
}
