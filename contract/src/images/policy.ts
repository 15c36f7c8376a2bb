import { type Permission, type Role, roleMay } from '../permissions.js';

export interface ImageViewer {
  /** Of the account; of a guest the id of the link. */
  id: string;
  role: Role | 'guest';
}
/** The facts that the rules need: about one image, and about this viewer's own share of it. */
export interface ImageFacts {
  ownerId: string;
  patientId: string | null;
  /** The viewer's live share: not revoked, not expired. */
  share: {
    verified: boolean;
    /** True when one of their verified shares allows the download of the original. */
    download: boolean;
  } | null;
  /** The same of the shares that give a copy without identity alone. */
  copy?: ImageFacts['share'];
  /** The guest's own link, while it is open and covers the image. Only guests have one. */
  guestLink?: { download: boolean } | null;
  /** True while the image is held: it arrived for a request, and nobody has taken it yet. */
  held?: boolean;
  /** True while an emergency access of the viewer covers the image. Only providers have one. */
  emergency?: boolean;
  /** True while the viewer is the carer of a patient who has opened the image by a live share. Only patients have it. */
  carer?: boolean;
}

/** The grounds on which a person's access to an image can rest. */
const holds = {
  admin: (v, _) => v.role === 'admin',
  owner: (v, i) => v.id === i.ownerId,
  /** A live share whose code was entered. */
  verifiedShare: (_, i) => i.share?.verified === true,
  /** A live share whose code was entered, and that allows the download. */
  downloadShare: (_, i) => i.share?.verified === true && i.share.download,
  /** A live share, its code entered or not. */
  liveShare: (_, i) => i.share !== null,
  /** The same three of shares that give a copy without identity, and nothing of the original. */
  verifiedCopy: (_, i) => i.copy?.verified === true,
  downloadCopy: (_, i) => i.copy?.verified === true && i.copy.download,
  liveCopy: (_, i) => Boolean(i.copy),
  /** The image's patient, while their share of the image is live. */
  patient: (v, i) => v.id === i.patientId && i.share !== null,
  /** The image's patient, once the code of their share is entered. */
  verifiedPatient: (v, i) => v.id === i.patientId && i.share?.verified === true,
  /** A provider, during an emergency access to the images of the patient. */
  emergency: (v, i) => v.role === 'healthProvider' && i.emergency === true,
  /** The carer of a patient, while the patient's own share is live and its code was entered. */
  carer: (v, i) => v.role === 'patient' && i.carer === true,
  /** A guest whose link covers the image. */
  guest: (v, i) => v.role === 'guest' && Boolean(i.guestLink),
  /** The same, by a link that allows the original file. */
  guestDownload: (v, i) => v.role === 'guest' && i.guestLink?.download === true,
} satisfies Record<string, (v: ImageViewer, i: ImageFacts) => boolean>;

export type ImageGround = keyof typeof holds;
export const imageGrounds = Object.keys(holds) as ImageGround[];

/**
 * The reasons of a refusal: the role may never do it, the code is not entered yet, the shares do not allow the download,
 * the image is held, or nothing connects the person with the image.
 */
export const imageBars = ['role', 'notVerified', 'noDownload', 'held', 'noGround'] as const;
export type ImageBar = (typeof imageBars)[number];

interface Rule {
  /** The role must have this permission, whatever the grounds. */
  permission: Permission;
  /** One ground is enough; the first that applies is the reason. */
  grounds: readonly ImageGround[];
}

/** The rules of access to one image, or to one study with its own shares. Nothing else decides it. */
const rules = {
  see: {
    permission: 'image.read',
    grounds: ['admin', 'owner', 'verifiedShare', 'liveShare', 'emergency', 'carer', 'guest', 'liveCopy'],
  },
  open: { permission: 'image.read', grounds: ['admin', 'owner', 'verifiedShare', 'emergency', 'carer', 'guest'] },
  download: { permission: 'image.read', grounds: ['admin', 'owner', 'downloadShare', 'guestDownload'] },
  annotate: { permission: 'image.read', grounds: ['admin', 'owner', 'verifiedShare'] },
  /** The token that takes the original to another viewer. An administrator's own right is too wide for it. */
  openElsewhere: { permission: 'image.read', grounds: ['owner', 'verifiedShare'] },
  exportMarks: { permission: 'image.read', grounds: ['admin', 'owner', 'downloadShare'] },
  openCopy: { permission: 'image.read', grounds: ['verifiedCopy'] },
  downloadCopy: { permission: 'image.read', grounds: ['downloadCopy'] },
  edit: { permission: 'image.upload', grounds: ['admin', 'owner'] },
  share: { permission: 'share.create', grounds: ['admin', 'owner'] },
  delete: { permission: 'image.delete', grounds: ['admin', 'owner'] },
  analyse: { permission: 'analysis.run', grounds: ['admin', 'owner', 'verifiedShare'] },
  readSigned: { permission: 'analysis.read', grounds: ['verifiedPatient'] },
  sign: { permission: 'analysis.sign', grounds: ['owner', 'verifiedShare'] },
  timeline: { permission: 'image.timeline', grounds: ['admin', 'owner', 'patient'] },
} as const satisfies Record<string, Rule>;
export type ImageRule = keyof typeof rules;

/** A held image can be looked at, and nothing else. Its request is taken or declined as a whole. */
const rulesOfHeld: readonly ImageRule[] = ['see', 'open'];
/** The person who asked owns it. Until they take it, it is nobody's else, whomever it names. */
const groundsOfHeld: readonly ImageGround[] = ['admin', 'owner'];

export type ImageDecision = { may: true; because: ImageGround } | { may: false; because: ImageBar };

/**
 * Returns a rule's decision with its reason. The server enforces it, and shows it to administrators who ask for the
 * reason.
 */
export function decideImage(rule: ImageRule, viewer: ImageViewer, image: ImageFacts): ImageDecision {
  const { permission, grounds }: Rule = rules[rule];
  // A guest has no role: the calls that accept guests say so, and the grounds decide the rest.
  if (viewer.role !== 'guest' && !roleMay(viewer.role, permission)) return { may: false, because: 'role' };
  const counts = (name: ImageGround) => !image.held || groundsOfHeld.includes(name);
  const ground = grounds.find((name) => counts(name) && holds[name](viewer, image));
  if (ground && image.held && !rulesOfHeld.includes(rule)) return { may: false, because: 'held' };
  if (ground) return { may: true, because: ground };
  return { may: false, because: barOf(grounds, image) };
}

/** The grounds that a share gives once its code is entered. */
const byShare: readonly ImageGround[] = ['verifiedShare', 'downloadShare', 'verifiedPatient'];
const byCopy: readonly ImageGround[] = ['verifiedCopy', 'downloadCopy'];

function barOf(grounds: readonly ImageGround[], { share, copy }: ImageFacts): ImageBar {
  const has = (names: readonly ImageGround[]) => grounds.some((ground) => names.includes(ground));
  const asked = has(byShare) ? share : has(byCopy) ? copy : null;
  if (!asked) return 'noGround';
  if (!asked.verified) return 'notVerified';
  return grounds.includes('downloadShare') || grounds.includes('downloadCopy') ? 'noDownload' : 'noGround';
}

/** The same decisions as booleans: `imageRules.open(viewer, image)`. */
export const imageRules = Object.fromEntries(
  (Object.keys(rules) as ImageRule[]).map((rule) => [
    rule,
    (viewer: ImageViewer, image: ImageFacts) => decideImage(rule, viewer, image).may,
  ]),
) as Record<ImageRule, (viewer: ImageViewer, image: ImageFacts) => boolean>;

/** The original, or the copy without identity. */
export type ImageForm = 'original' | 'copy';

/**
 * Returns the form in which a viewer meets the image, in lists as in files: the original as soon as one ground opens it,
 * else the copy. A share of the original counts once its own code was entered.
 */
export function formOf(viewer: ImageViewer, image: ImageFacts): ImageForm {
  if (imageRules.open(viewer, image)) return 'original';
  if (imageRules.openCopy(viewer, image)) return 'copy';
  return decideImage('see', viewer, image).because === 'liveCopy' ? 'copy' : 'original';
}

/** True when the viewer may open the image in one of its forms. */
export const opensAnyForm = (viewer: ImageViewer, image: ImageFacts): boolean =>
  imageRules.open(viewer, image) || imageRules.openCopy(viewer, image);

/** The rules of the two forms, for reading them and for taking them away. */
export const formRules = {
  open: { original: 'open', copy: 'openCopy' },
  download: { original: 'download', copy: 'downloadCopy' },
} as const satisfies Record<string, Record<ImageForm, ImageRule>>;

/** True when a deletion needs a reason: it takes the image from a patient, and no admin decided it. */
export const deletionNeedsReason = (v: ImageViewer, i: ImageFacts): boolean =>
  v.role !== 'admin' && i.patientId !== null;
