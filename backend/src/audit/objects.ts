import type { AuditEntry } from '@lightbox/contract/audit/calls.js';
import { formOf, type ImageFacts, imageRules } from '@lightbox/contract/images/policy.js';
import { texts } from '@lightbox/contract/texts.js';
import { groundsOf } from '@lightbox/core/access/grounds.js';
import { imageFacts } from '@lightbox/core/access/images.js';
import { covering, covers, liveShare, strongest } from '@lightbox/core/access/shares.js';
import { studyFacts } from '@lightbox/core/access/studies.js';
import { visibleUsers } from '@lightbox/core/access/users.js';
import type { AuditEntryDoc } from '@lightbox/core/models/auditEntry.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Gateway, Viewer } from '../context.js';

type Named = NonNullable<AuditEntry['object']>;

/** Returns the names of the entries' records that the viewer may see now, by id, with a few queries for all. */
export async function objectsOf(
  gateway: Gateway,
  viewer: Viewer,
  entries: AuditEntryDoc[],
): Promise<Map<string, Named>> {
  const { models, clock } = gateway;
  const ids = [...new Map(entries.flatMap(({ record }) => (record ? [[String(record), record]] : []))).values()];
  if (ids.length === 0) return new Map();
  const among = { _id: { $in: ids } };
  const [images, studies, users] = await Promise.all([
    models.Image.find(among, { caption: 1, owner: 1, patient: 1, study: 1 }).lean<ImageDoc[]>(),
    models.Study.find(among, { title: 1, owner: 1, patient: 1 }).lean<StudyDoc[]>(),
    models.User.find(
      { $and: [among, { $or: [await visibleUsers(gateway, viewer), { _id: viewer._id }] }] },
      { firstname: 1, lastname: 1, username: 1 },
    ).lean<UserDoc[]>(),
  ]);
  const targets = [...images, ...studies.map(({ _id }) => ({ _id, study: _id }))];
  const grounds = await groundsOf(models, viewer, covering(targets), clock.now());
  const shares =
    viewer.role !== 'admin' && targets.length > 0
      ? await models.Share.find({ ...covering(targets), recipient: viewer._id, ...liveShare(clock.now()) }).lean<
          ShareDoc[]
        >()
      : [];
  const factsOf = {
    image: (image: ImageDoc) =>
      imageFacts(
        image,
        shares.filter((share) => covers(share, image)),
        grounds,
      ),
    study: (study: StudyDoc) =>
      studyFacts(study, strongest(shares.filter((one) => one.study?.equals(study._id))), grounds),
  };
  /** Returns the name under which the viewer knows the object now; none while they may not know of it. */
  const named = (kind: 'image' | 'study', id: ImageDoc['_id'], name: string, facts: ImageFacts): [string, Named][] => {
    if (!imageRules.see(viewer, facts)) return [];
    const general = kind === 'image' ? texts.copyCaption : texts.copyTitle;
    return [[String(id), { kind, name: formOf(viewer, facts) === 'copy' ? general : name }]];
  };
  return new Map<string, Named>([
    ...images.flatMap((one) => named('image', one._id, one.caption, factsOf.image(one))),
    ...studies.flatMap((one) => named('study', one._id, one.title, factsOf.study(one))),
    ...users.map(
      (one) =>
        [
          String(one._id),
          { kind: 'user', name: [one.firstname, one.lastname].filter(Boolean).join(' ') || one.username },
        ] as const,
    ),
  ]);
}
