import { receiverCalls } from '@lightbox/contract/receiver/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { changeDicomNode, createDicomNode, deleteDicomNode, listDicomNodes } from './dicomNodes.js';

export function receiverRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, receiverCalls, { listDicomNodes, createDicomNode, changeDicomNode, deleteDicomNode });
}
