import type { Tokens } from '@lightbox/backend/auth/tokens.js';
import type { Name } from '@lightbox/core/access/cards.js';
import type { Keys } from '@lightbox/core/keys/keyring.js';
import type { Models } from '@lightbox/core/models/models.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { GatewayProgram } from '../site.js';

/** The number of records of a filled database. */
export interface Size {
  name: string;
  images: number;
  messages: number;
  logEntries: number;
  providers: number;
  patients: number;
}

export const sizeOf = (images: number, messages: number, logEntries: number): Size => ({
  name: `10^${Math.log10(images).toFixed(0)}`,
  images,
  messages,
  logEntries,
  providers: Math.ceil(images / 500),
  patients: Math.ceil(images / 50),
});

/** A database, and the keys of its installation. */
export interface Place {
  models: Models;
  keys: Keys;
  tokens: Tokens;
}

/** A person with a session. Their token is made when it is needed: filling takes longer than one lasts. */
export interface Viewer {
  id: string;
  session: string;
}

/** The accounts of a filled database. The calls are made by the four with a session. */
export interface People {
  providers: UserDoc['_id'][];
  patients: UserDoc['_id'][];
  /** The name of each patient, by id. */
  names: Map<string, Name>;
  owner: Viewer;
  recipient: Viewer;
  patient: Viewer;
  admin: Viewer;
}

/** Ids from a filled database with which the calls are made. */
export interface Samples {
  /** An image of the owner in the middle of their list, with a share and with a study. */
  shared: string;
  study: string;
  /** A patient of the owner's images. */
  patientOfImage: string;
  /** The partner of the owner's longest chat, and a message in its middle and near its start. */
  partner: string;
  middleMessage: string;
  oldMessage: string;
  /** The image with most entries in the log. */
  logged: string;
}

/** A filled database with a gateway of its own. */
export interface World extends Place {
  size: Size;
  people: People;
  samples: Samples;
  gateway: GatewayProgram;
}

/** All images, messages and entries are of this many days, whatever their number. */
const DAYS = 170;
const SPAN_MS = DAYS * 86_400_000;

/** Returns the time of the record with this number, of all: the first is the newest. */
export const timeOf = (i: number, of: number, now: Date): Date =>
  new Date(now.getTime() - Math.floor((i / of) * SPAN_MS));
