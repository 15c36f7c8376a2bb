import { type ObjectId, oid } from '../db/ids.js';
import { hmac, type KeyRing } from '../keys/keyring.js';
import type { ReportDoc } from '../models/report.js';

type Choice = Pick<ReportDoc, 'image' | 'version' | 'mark' | 'marks' | 'language' | 'timeZone'>;

/** Returns the id of a report: the same for the same text and looks, so that readers share one job. */
export const reportId = (ring: KeyRing, { image, version, mark, marks, language, timeZone }: Choice): ObjectId =>
  oid(
    hmac(ring.current.key, 'report', String(image), JSON.stringify([version, mark, marks, language, timeZone]))
      .toString('hex')
      .slice(0, 24),
  );

/** Binds a sealed report to its image and its record. The data key of the image seals it. */
export const reportContext = ({ image, _id }: Pick<ReportDoc, 'image' | '_id'>): string => `${image}:report:${_id}`;
