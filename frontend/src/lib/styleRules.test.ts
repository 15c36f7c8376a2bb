import { describe, expect, it } from 'vitest';
import { type Part, partsOf } from './styleRules';

describe('The rules of a class', () => {
  it.each<[string, string, Part[]]>([
    ['a style rule', '.a:hover{color:red;}', [{ rule: '.a:hover{color:red;}' }]],
    [
      'a layer',
      '@layer recipes{.a{color:red;}.a svg{width:1px;}}',
      [
        { layer: '@layer recipes', rule: '.a{color:red;}' },
        { layer: '@layer recipes', rule: '.a svg{width:1px;}' },
      ],
    ],
    [
      'a condition',
      '@media screen and (min-width: 1px){.a{color:red;}.a,.b{top:0;}}',
      [
        { rule: '.a{@media screen and (min-width: 1px){color:red;}}' },
        { rule: '.a,.b{@media screen and (min-width: 1px){top:0;}}' },
      ],
    ],
    [
      'a condition in a layer',
      '@layer recipes{.a{top:0;}@supports (gap: 1px){.a{gap:1px;}}}',
      [
        { layer: '@layer recipes', rule: '.a{top:0;}' },
        { layer: '@layer recipes', rule: '.a{@supports (gap: 1px){gap:1px;}}' },
      ],
    ],
    ['an animation', '@keyframes b{from{top:0;}to{top:1px;}}', [{ rule: '@keyframes b{from{top:0;}to{top:1px;}}' }]],
    [
      'an animation in a condition',
      '@media print{@keyframes b{from{top:0;}}}',
      [{ rule: '@media print{@keyframes b{from{top:0;}}}' }],
    ],
    ['a layer in a layer', '@layer a{@layer b{.c{top:0;}}}', [{ rule: '@layer a{@layer b{.c{top:0;}}}' }]],
  ])('%s', (_, css, parts) => {
    expect(partsOf(css)).toEqual(parts);
  });
});
