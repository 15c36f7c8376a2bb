import { z } from 'zod';
import { Id, Time } from '../ids.js';

/** In an image or a study: the emergency access by which the viewer sees it, and its end. */
export const ByEmergency = z.object({ id: Id, until: Time });
export type ByEmergency = z.infer<typeof ByEmergency>;
