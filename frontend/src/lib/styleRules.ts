/** A rule as the style engine writes it: without comments, and without braces in texts. */
interface Block {
  head: string;
  body: string;
}

function blocksOf(css: string): Block[] {
  const blocks: Block[] = [];
  let depth = 0;
  let start = 0;
  let open = 0;
  for (let at = 0; at < css.length; at++) {
    if (css[at] === '{' && depth++ === 0) open = at;
    if (css[at] !== '}' || --depth > 0) continue;
    blocks.push({ head: css.slice(start, open).trim(), body: css.slice(open + 1, at) });
    start = at + 1;
  }
  return blocks;
}

/** A rule, and the head of the cascade layer to which it belongs. */
export interface Part {
  layer?: string;
  rule: string;
}

/**
 * Splits a rule into style rules, each with its conditions inside: `@layer a{@media b{c{d}}}` is `c{@media b{d}}` in the
 * layer `a`. Both mean the same.
 */
export function partsOf(css: string): Part[] {
  return blocksOf(css).flatMap(({ head, body }): Part[] => {
    if (!head.startsWith('@layer ')) return conditionInside(head, body).map((rule) => ({ rule }));
    // Layers within layers stay as they are.
    if (body.includes('@layer')) return [{ rule: `${head}{${body}}` }];
    return partsOf(body).map(({ rule }) => ({ layer: head, rule }));
  });
}

function conditionInside(head: string, body: string): string[] {
  if (!/^@(media|supports|container)\b/.test(head)) return [`${head}{${body}}`];
  const inner = blocksOf(body);
  // A rule such as `@keyframes` cannot have a condition inside.
  if (inner.some((block) => block.head.startsWith('@'))) return [`${head}{${body}}`];
  return inner.map((block) => `${block.head}{${head}{${block.body}}}`);
}
