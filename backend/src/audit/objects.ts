import type { AuditEntry } from '@lightbox/contract/audit/calls.js';
import { imageRules } from '@lightbox/contract/images/policy.js';
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
  const sees = {
    image: (image: ImageDoc) =>
      imageRules.see(
        viewer,
        imageFacts(
          image,
          shares.filter((share) => covers(share, image)),
          grounds,
        ),
      ),
    study: (study: StudyDoc) =>
      imageRules.see(
        viewer,
        studyFacts(study, strongest(shares.filter((one) => one.study?.equals(study._id))), grounds),
      ),
  };
  return new Map<string, Named>([
    ...images.filter(sees.image).map((one) => [String(one._id), { kind: 'image', name: one.caption }] as const),
    ...studies.filter(sees.study).map((one) => [String(one._id), { kind: 'study', name: one.title }] as const),
    ...users.map(
      (one) =>
        [
          String(one._id),
          { kind: 'user', name: [one.firstname, one.lastname].filter(Boolean).join(' ') || one.username },
        ] as const,
    ),
  ]);
}
