/** A mark of another author is drawn under the id of its layer and its own. A mark of the person has no layer in front. */
const SEPARATOR = '/';

export const uidOf = (layer: string | undefined, id: string) => (layer ? `${layer}${SEPARATOR}${id}` : id);

export function partsOf(uid: string): { layer: string | undefined; id: string } {
  const at = uid.indexOf(SEPARATOR);
  return at < 0 ? { layer: undefined, id: uid } : { layer: uid.slice(0, at), id: uid.slice(at + 1) };
}
