import { app } from './app';
import { auth } from './auth';
import { common, time } from './common';
import { errors } from './errors';
import { landing } from './landing';

/** The texts of the screens before the sign-in, and those of every screen. */
export const first = { common, time, errors, app, landing, auth } as const;
