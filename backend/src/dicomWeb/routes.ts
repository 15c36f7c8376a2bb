import { dicomWebCalls } from '@lightbox/contract/dicomWeb/calls.js';
import { otherViewerCalls } from '@lightbox/contract/dicomWeb/otherViewer.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { retrieveBulkData } from './bulkData.js';
import { retrieveFrames } from './frames.js';
import { retrieveMetadata } from './metadata.js';
import { openElsewhere } from './otherViewer.js';
import { render } from './rendered.js';
import { retrieve } from './retrieve.js';
import { search } from './search.js';
import { storeInstances } from './store.js';

export function dicomWebRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, otherViewerCalls, { openElsewhere });
  bindAll(router, gateway, dicomWebCalls, {
    searchStudies: search('study'),
    searchSeries: search('series'),
    searchInstances: search('instance'),
    searchSeriesOfStudy: search('series'),
    searchInstancesOfStudy: search('instance'),
    searchInstancesOfSeries: search('instance'),
    retrieveStudy: retrieve,
    retrieveSeries: retrieve,
    retrieveInstance: retrieve,
    retrieveStudyMetadata: retrieveMetadata,
    retrieveSeriesMetadata: retrieveMetadata,
    retrieveMetadata,
    retrieveFrames,
    retrieveBulkData,
    renderInstance: render,
    renderFrames: render,
    storeInstances,
    storeInstancesOfStudy: storeInstances,
  });
}
