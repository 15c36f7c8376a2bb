/** Words of captions, messages and names. Earlier ones are used more often. */
export const words = [
  ...'chest hand knee hip spine skull ankle wrist elbow shoulder pelvis femur tibia foot rib abdomen neck jaw'.split(
    ' ',
  ),
  ...'left right lateral frontal oblique axial coronal sagittal before after cast surgery control follow-up'.split(' '),
  ...'normal fracture swelling healed pain review contrast native dense soft tissue joint space nodule'.split(' '),
  ...'amber birch cedar delta ember fjord grove harbor iris juniper kestrel linden maple north oak pine'.split(' '),
  ...'quartz raven sable thorn umber violet willow yarrow zephyr aspen basil clover dune elm fern gale'.split(' '),
];

/** Returns a number from 0 to 1 that follows from the seed alone, so that every run fills the same database. */
export function chance(seed: number): number {
  let x = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32;
}

export const pick = <T>(all: readonly T[], seed: number): T => all[Math.floor(chance(seed) * all.length)] as T;

/** Returns a text of some words; those at the front of the list are more frequent. */
export function textOf(seed: number, count: number): string {
  const one = (i: number) => words[Math.floor(chance(seed * 31 + i) ** 2 * words.length)];
  return Array.from({ length: count }, (_, i) => one(i)).join(' ');
}
