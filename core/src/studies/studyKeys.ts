import { grouped } from '../db/group.js';
import type { Models } from '../models/models.js';
import type { StudyDoc } from '../models/study.js';

/** Returns a function that tells whether there is a study with a key. Keys that are wanted during a read share the next one. */
export const studyKeys = ({ Study }: Pick<Models, 'Study'>): ((key: string) => Promise<boolean>) =>
  grouped(async (keys: string[]) => {
    const found = await Study.find({ key: { $in: keys } }, { _id: 0, key: 1 }).lean<Pick<StudyDoc, 'key'>[]>();
    const known = new Set(found.map(({ key }) => key));
    return keys.map((key) => known.has(key));
  });
