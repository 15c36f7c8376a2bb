import type { Page } from 'playwright-core';

/** True for an element that people see. It is an expression of the page, as the checks below. */
const isSeen = `(element) => {
  const { width, height } = element.getBoundingClientRect();
  const isClipped = getComputedStyle(element).clip !== 'auto';
  return width > 2 && height > 2 && !isClipped && element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
}`;

/** Names an element in a fault. */
const named = `(element) => element.outerHTML.slice(0, 160)`;

/**
 * Returns the buttons and links that stand outside the card, section or bar that they belong to, and those whose text is wider
 * than they are. A part that scrolls may have more than it shows, but not the buttons of a table's row.
 */
export const spills = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const isSeen = ${isSeen};
    const named = ${named};
    const frames = 'article, section, aside, nav, header, footer, form, fieldset, main, li, td, th, [role=dialog], [role=alertdialog]';
    const scrolls = (element) => /auto|scroll/.test(getComputedStyle(element).overflow);
    const isHidden = (element, end) =>
      getComputedStyle(element).overflowX !== 'visible' || (element !== end && isHidden(element.parentElement, end));
    const floats = (element, end) =>
      element !== end && (getComputedStyle(element).position === 'absolute' || floats(element.parentElement, end));
    return [...document.querySelectorAll('a[href], button, summary')].filter(isSeen).flatMap((control) => {
      if (getComputedStyle(control).display === 'inline') return [];
      const box = control.getBoundingClientRect();
      const texts = [...control.querySelectorAll('*'), control].filter((owner) =>
        [...owner.childNodes].some((node) => node.nodeType === Node.TEXT_NODE) && isSeen(owner) && !floats(owner, control));
      const hidden = Math.max(0, ...texts.map((owner) => {
        const range = document.createRange();
        range.selectNodeContents(owner);
        const { left, right } = range.getBoundingClientRect();
        return isHidden(owner, control) ? 0 : Math.max(box.left - left, right - box.right);
      }));
      if (hidden > 1) return ['a text is ' + Math.round(hidden) + ' px wider than its control: ' + named(control)];
      const isInRow = control.matches('td button');
      const isFrame = (one) => (isInRow ? one.matches(':has(> table)') : one.matches(frames) || scrolls(one));
      let frame = control.parentElement;
      while (frame && !isFrame(frame)) frame = frame.parentElement;
      if (!frame || (scrolls(frame) && !isInRow)) return [];
      const outer = frame.getBoundingClientRect();
      const aside = Math.max(outer.left - box.left, box.right - outer.right);
      // A link reaches a little above and below its line, so that it is no small target.
      const over = Math.max(aside, outer.top - box.top - 4, box.bottom - outer.bottom - 4);
      return over > 1 ? [Math.round(over) + ' px outside its ' + frame.localName + ': ' + named(control)] : [];
    });
  })()`);

/**
 * Returns the controls that are smaller than 24 by 24 px (WCAG 2.2, 2.5.8). A link inside a sentence may be: its size is that
 * of the text. The box that is drawn for a hidden input counts with its label.
 */
export const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const isSeen = ${isSeen};
    const named = ${named};
    const controls = 'a[href], button, summary, select, textarea, label:has(input), input:not(label input, [type=hidden]), [role=slider], [role=tab]';
    const isInSentence = (element) => {
      if (getComputedStyle(element).display !== 'inline') return false;
      const others = [...element.parentElement.childNodes].filter((node) => node !== element);
      return others.some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim().length > 1);
    };
    return [...document.querySelectorAll(controls)].filter(isSeen).flatMap((control) => {
      const { width, height } = control.getBoundingClientRect();
      if (Math.min(width, height) >= 23.9 || isInSentence(control)) return [];
      return [Math.round(width) + ' by ' + Math.round(height) + ' px: ' + named(control)];
    });
  })()`);

/** Makes all text of the page twice as large, as a person does who reads badly (WCAG 1.4.4); without `on` usual again. */
const enlarge = (page: Page, on: boolean): Promise<void> =>
  page.evaluate(`new Promise((done) => {
    const { style } = document.documentElement;
    style.fontSize = '';
    if (${on}) style.fontSize = parseFloat(getComputedStyle(document.documentElement).fontSize) * 2 + 'px';
    // A part with a transition has its new size in the second frame.
    requestAnimationFrame(() => requestAnimationFrame(() => done()));
  })`);

/** Returns what is wider than the window, and the texts that lie over each other. */
const crowds = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const isSeen = ${isSeen};
    const named = ${named};
    const styles = new Map();
    const styleOf = (element) => styles.get(element) ?? styles.set(element, getComputedStyle(element)).get(element);
    const up = (element, found) => {
      let one = element;
      while (one && !found(one)) one = one.parentElement;
      return one;
    };
    const hides = (element) => styleOf(element).overflowX !== 'visible';
    const faults = [];
    const over = document.documentElement.scrollWidth - innerWidth;
    if (over > 0) {
      const culprits = [...document.body.querySelectorAll('*')].filter((element) => {
        const { left, right } = element.getBoundingClientRect();
        return (right > innerWidth + 0.5 || left < -0.5) && isSeen(element) && !up(element.parentElement, hides);
      });
      faults.push(over + ' px too wide: ' + (culprits.length > 0 ? named(culprits.at(-1)) : 'unknown'));
    }
    // The middle of each line of text, as far as it is seen. Texts that float are compared with those that float with them.
    const lines = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const { parentElement: owner } = node;
      if (!node.data.trim() || !isSeen(owner)) continue;
      const layer = up(owner, (one) => one === document.body || /fixed|sticky|absolute/.test(styleOf(one).position));
      const frame = up(owner, (one) => hides(one) || one === layer);
      const { overflowX, textOverflow, webkitLineClamp } = styleOf(frame);
      const cuts = /hidden|clip/.test(overflowX) && textOverflow !== 'ellipsis' && webkitLineClamp === 'none' && !owner.closest('[aria-hidden=true]');
      const edge = frame.getBoundingClientRect();
      const clip = { top: edge.top, bottom: edge.bottom };
      for (let outer = frame; outer !== layer; outer = outer.parentElement) {
        if (!hides(outer)) continue;
        const box = outer.getBoundingClientRect();
        clip.top = Math.max(clip.top, box.top);
        clip.bottom = Math.min(clip.bottom, box.bottom);
      }
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const { left, right, top, bottom, height } of range.getClientRects()) {
        if (cuts && (left < edge.left - 2 || right > edge.right + 2)) faults.push('“' + node.data + '” is cut: ' + named(owner));
        const [from, to] = [Math.max(left, edge.left), Math.min(right, edge.right)];
        const [start, end] = [Math.max(top + height * 0.25, clip.top), Math.min(bottom - height * 0.25, clip.bottom)];
        if (to - from > 2 && end - start > 2) lines.push({ node, owner, layer, from, to, start, end });
      }
    }
    for (const [at, one] of lines.entries()) {
      const other = lines.slice(at + 1).find((two) =>
        two.node !== one.node && two.layer === one.layer &&
        one.from < two.to - 2 && two.from < one.to - 2 && one.start < two.end - 2 && two.start < one.end - 2);
      if (other) faults.push('“' + one.node.data + '” lies over “' + other.node.data + '”: ' + named(one.owner));
    }
    return faults.slice(0, 5);
  })()`);

/** Returns the fields in the bars of a table whose own text, or the example in them, is wider or taller than they are. */
const cutFields = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const isSeen = ${isSeen};
    const named = ${named};
    const ruler = document.createElement('canvas').getContext('2d');
    const fields = 'section:has(table) :is(select, input:not([type=checkbox], [type=date]))';
    return [...document.querySelectorAll(fields)].filter(isSeen).flatMap((field) => {
      const { fontFamily, fontSize, fontWeight, paddingLeft, paddingRight } = getComputedStyle(field);
      ruler.font = [fontWeight, fontSize, fontFamily].join(' ');
      const text = field.selectedOptions?.[0]?.text ?? (field.value || field.placeholder);
      const over = ruler.measureText(text).width - (field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight));
      const above = parseFloat(fontSize) - field.clientHeight;
      const faults = [];
      if (over > 1) faults.push('“' + text + '” is ' + Math.round(over) + ' px wider than its field: ' + named(field));
      if (above > 0) faults.push('“' + text + '” is taller than its field: ' + named(field));
      return faults;
    });
  })()`);

/** Returns the fields around tables of a desktop that cut their text when it is twice as large. */
export async function fieldsWithLargeText(page: Page): Promise<string[]> {
  await enlarge(page, true);
  try {
    return await rested(() => cutFields(page));
  } finally {
    await enlarge(page, false);
  }
}

/** Returns the rows of tables whose actions stand in more than one line. */
export const brokenActions = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const isSeen = ${isSeen};
    const named = ${named};
    return [...document.querySelectorAll('td:last-child')].filter(isSeen).flatMap((cell) => {
      const [first, ...others] = [...cell.querySelectorAll('button, a[href]')].filter(isSeen);
      const end = first?.getBoundingClientRect().bottom ?? 0;
      const below = others.find((one) => one.getBoundingClientRect().top >= end);
      return below ? ['an action stands in a second line: ' + named(below)] : [];
    });
  })()`);

/** Returns the faults of the screen with text of twice the size. */
export async function withLargeText(page: Page): Promise<string[]> {
  await enlarge(page, true);
  try {
    return await rested(async () => [...(await crowds(page)), ...(await spills(page))]);
  } finally {
    await enlarge(page, false);
  }
}

/** Repeats a check until it passes, for at most five seconds: a floating menu needs a moment to follow its button. */
export async function rested(look: () => Promise<string[]>): Promise<string[]> {
  const end = Date.now() + 5_000;
  let seen = await look();
  while (seen.length > 0 && Date.now() < end) seen = await look();
  return seen;
}
