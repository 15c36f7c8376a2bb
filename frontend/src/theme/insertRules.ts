import { StyleSheet } from '@emotion/sheet';
import { partsOf } from './rules';

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
 * one block to which its rules are added, and conditions are inside their rules. A browser that cannot nest them gets the
 * rules as they are.
 */
export function insertCheaply(): void {
  if (typeof CSSNestedDeclarations === 'undefined') return;
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
