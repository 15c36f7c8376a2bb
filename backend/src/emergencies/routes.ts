import { emergencyCalls } from '@lightbox/contract/emergencies/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import {
  countWaitingReviews,
  endEmergency,
  getPatientEmergency,
  listEmergencies,
  listEmergencyImages,
  openEmergency,
} from './emergencies.js';
import { getEmergency } from './looks.js';
import { answerEmergency, approveEmergency, questionEmergency } from './review.js';

export function emergencyRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, emergencyCalls, {
    getPatientEmergency,
    openEmergency,
    listEmergencyImages,
    listEmergencies,
    countWaitingReviews,
    getEmergency,
    endEmergency,
    approveEmergency,
    questionEmergency,
    answerEmergency,
  });
}
