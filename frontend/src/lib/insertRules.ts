import { StyleSheet } from '@emotion/sheet';
import { partsOf } from './styleRules';

// Makes panels open cheaply. They import it, so it is no part of a first load.

const layers = new WeakMap<CSSStyleSheet, Map<string, CSSLayerBlockRule>>();

function layerOf(sheet: CSSStyleSheet, head: string): CSSLayerBlockRule {
  const known = layers.get(sheet) ?? new Map<string, CSSLayerBlockRule>();
  layers.set(sheet, known);
  const found = known.get(head);
  if (found) return found;
  const at = sheet.insertRule(`${head}{}`, sheet.cssRules.length);
  const layer = sheet.cssRules[at] as CSSLayerBlockRule;
  known.set(head, layer);
  return layer;
}

/**
 * Makes the insertion of the rules of new classes cheap. After a rule that begins with `@layer` or `@media`, Chromium computes
 * the style of every element again, but after a plain style rule only that of the elements that it matches. So each layer is
 * one block to which its rules are added, and conditions are inside their rules.
 */
function insertCheaply(): void {
  const insertWhole = StyleSheet.prototype.insert;
  StyleSheet.prototype.insert = function insert(this: StyleSheet, css: string): void {
    const sheet = this.tags.at(-1)?.sheet;
    // The global styles are inserted once, and are few rules with much in each.
    if (!this.isSpeedy || !sheet || this.key.endsWith('-global')) {
      insertWhole.call(this, css);
      return;
    }
    for (const { layer, rule } of partsOf(css)) {
      const group = layer === undefined ? sheet : layerOf(sheet, layer);
      try {
        group.insertRule(rule, group.cssRules.length);
      } catch {
        // A selector of another browser. The engine leaves such rules out, too.
      }
    }
  };
}

/**
 * Dialogs set two things that every element inherits, so the browser would compute the styles of all of them at each opening
 * and closing. The pointer events of the body stay: the backdrop takes them all. The width of the scroll bar is there before,
 * where it is 0, as on every phone.
 */
function inheritTheSame(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('body { pointer-events: auto !important; }');
  document.adoptedStyleSheets.push(sheet);
  document.documentElement.style.setProperty('--scrollbar-width', '0px');
}

// A browser that cannot nest conditions in rules gets the rules as they are.
if (typeof CSSNestedDeclarations !== 'undefined' && 'adoptedStyleSheets' in document) {
  insertCheaply();
  inheritTheSame();
}
