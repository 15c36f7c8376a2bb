import type { Disclosure, DisclosureKind } from '@lightbox/contract/users/disclosures.js';

/** One line of the list. Looks and downloads of one person on one day are one line. */
export interface Line {
  first: Disclosure;
  times: number;
}

/** The lines about one image or study, the newest first. */
export interface ImageGroup {
  image: Disclosure['image'];
  lines: Line[];
}

const counted: readonly DisclosureKind[] = ['looked', 'carerLooked', 'downloaded', 'guestLooked', 'guestDownloaded'];
const dayOf = (at: string) => new Date(at).toDateString();

/** Puts the entries together by image, and repeated looks and downloads by person and day. */
export function groupedByImage(rows: readonly Disclosure[]): ImageGroup[] {
  const groups = new Map<string, ImageGroup & { known: Map<string, Line> }>();
  for (const row of rows) {
    const group = groups.get(row.image.id) ?? { image: row.image, lines: [], known: new Map<string, Line>() };
    groups.set(row.image.id, group);
    const guest = row.to && 'guest' in row.to ? row.to.guest : '';
    const key = counted.includes(row.kind) ? [row.kind, row.by?.id, guest, dayOf(row.at)].join() : row.id;
    const line = group.known.get(key);
    if (line) line.times += 1;
    else {
      const added = { first: row, times: 1 };
      group.known.set(key, added);
      group.lines.push(added);
    }
  }
  return [...groups.values()].map(({ image, lines }) => ({ image, lines }));
}
