/** The tools of a pointer: one of them is chosen. */
export const tools = ['window', 'pan', 'zoom', 'scroll', 'length', 'angle', 'ellipse', 'probe', 'arrow'] as const;
export type ToolName = (typeof tools)[number];

/** The acts of the viewer that a key starts. */
export const acts = [
  'invert',
  'rotate',
  'rotateBack',
  'flip',
  'flipVertical',
  'zoomIn',
  'zoomOut',
  'fit',
  'reset',
  'next',
  'previous',
  'forward',
  'back',
  'first',
  'last',
  'play',
  'tags',
  'compare',
  'ask',
  'together',
  'fullScreen',
  'keys',
  'cancel',
  'removeMeasure',
  'undo',
  'nextImage',
  'previousImage',
] as const;
export type ActName = (typeof acts)[number];

export type Command = { tool: ToolName } | { act: ActName } | { preset: string };

const toolKeys: Record<string, ToolName> = {
  w: 'window',
  p: 'pan',
  z: 'zoom',
  s: 'scroll',
  d: 'length',
  a: 'angle',
  e: 'ellipse',
  o: 'probe',
  b: 'arrow',
};

/** The default keys of OHIF, which radiologists know, and more where OHIF has none. */
const actKeys: Record<string, ActName> = {
  i: 'invert',
  r: 'rotate',
  l: 'rotateBack',
  h: 'flip',
  v: 'flipVertical',
  '+': 'zoomIn',
  '-': 'zoomOut',
  '=': 'fit',
  ' ': 'reset',
  ArrowDown: 'next',
  ArrowRight: 'next',
  ArrowUp: 'previous',
  ArrowLeft: 'previous',
  PageDown: 'forward',
  PageUp: 'back',
  Home: 'first',
  End: 'last',
  c: 'play',
  t: 'tags',
  x: 'compare',
  q: 'ask',
  g: 'together',
  f: 'fullScreen',
  '?': 'keys',
  Escape: 'cancel',
  Delete: 'removeMeasure',
  Backspace: 'removeMeasure',
  u: 'undo',
  ']': 'nextImage',
  '[': 'previousImage',
};

interface Pressed {
  key: string;
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

const otherScript = /^(?!\p{Script=Latin}|[0-9])[\p{L}\p{M}\p{N}]$/u;

/** Returns the key, or what its place has on a Latin keyboard when it writes a letter or a digit of another script. */
function latinKey({ key, code }: Pick<Pressed, 'key' | 'code'>): string {
  const [, letter, digit] = (otherScript.test(key) && /^(?:Key([A-Z])|(?:Digit|Numpad)(\d))$/.exec(code)) || [];
  return letter ?? digit ?? key;
}

/** Returns the command of a key press, or undefined. Keys with Ctrl, Alt or Command belong to the browser. */
export function commandOf({ ctrlKey, metaKey, altKey, ...pressed }: Pressed): Command | undefined {
  if (ctrlKey || metaKey || altKey) return undefined;
  const key = latinKey(pressed);
  if (/^\d$/.test(key)) return { preset: key };
  const name = key.length === 1 ? key.toLowerCase() : key;
  const tool = toolKeys[name];
  if (tool) return { tool };
  const act = actKeys[name];
  return act && { act };
}

/** Keys as the screen shows them. */
const shownAs: Record<string, string> = {
  ' ': 'Space',
  ArrowDown: '↓',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowLeft: '←',
  PageDown: 'PgDn',
  PageUp: 'PgUp',
  Escape: 'Esc',
  Delete: 'Del',
};

const keysFor = (table: Record<string, string>, name: string) =>
  Object.entries(table)
    .filter(([, one]) => one === name)
    .map(([key]) => shownAs[key] ?? (key.length === 1 ? key.toUpperCase() : key));

export const keysOfTool = (tool: ToolName) => keysFor(toolKeys, tool);
export const keysOfAct = (act: ActName) => keysFor(actKeys, act);

/**
 * True when the element uses the key itself: text fields use all keys, sliders the arrows, buttons and links Space and
 * Enter.
 */
export function usesKey(element: Element, key: string): boolean {
  if (element.matches('input:not([type=range]), textarea, select, [contenteditable=true]')) return true;
  if (element.matches('input[type=range]')) return /^(Arrow|Page|Home|End)/.test(key);
  if (element.matches('button, a, summary, [role=button], [role=menuitem]')) return key === ' ' || key === 'Enter';
  return false;
}
