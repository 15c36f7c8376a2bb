import { type Plugin, parseAst } from 'vite';
import { drawn } from './src/theme/drawn';

interface Row {
  elements: { value?: unknown }[];
  start: number;
  end: number;
}

/** Returns the weights of an icon's drawings that the build keeps beside the regular one. */
const drawnOf = (name: string) =>
  Object.entries(drawn).flatMap(([weight, names]) => (names.includes(name) ? [weight] : []));

/** Returns the table in `const a = new Map([[weight, drawing], …])`. */
function tableOf(code: string) {
  for (const statement of parseAst(code).body) {
    if (statement.type !== 'VariableDeclaration') continue;
    const made = statement.declarations[0]?.init;
    const table = made?.type === 'NewExpression' ? made.arguments[0] : undefined;
    if (table?.type === 'ArrayExpression') return { ...table, elements: table.elements as unknown as Row[] };
  }
  return undefined;
}

const icon = /@phosphor-icons\/react\/dist\/defs\/(\w+)\.es\.js$/;
const base = /@phosphor-icons\/react\/dist\/lib\/IconBase\.es\.js$/;
/** How `IconBase` looks up a drawing: with the weight of the icon, or with that of its context. */
const lookUp = /\b(\w+)\.get\((\w+ != null \? \w+ : \w+)\)/;

/**
 * Removes the drawings of icons that no screen uses, two thirds of the size of the icons. Phosphor has six drawings
 * of every icon in one table, which no bundler can split.
 */
export function leanIcons(): Plugin {
  return {
    name: 'lean-icons',
    apply: 'build',
    transform: {
      filter: { id: [icon, base] },
      handler(code, id) {
        const changed = 'The format of the Phosphor icons has changed: adapt leanIcons.ts.';
        if (base.test(id)) {
          if (!lookUp.test(code)) return this.error(changed);
          return { code: code.replace(lookUp, '($1.get($2) ?? $1.get("regular"))'), map: null };
        }
        const [, name = ''] = icon.exec(id) ?? [];
        const weights = ['regular', ...drawnOf(name)];
        const table = tableOf(code);
        const kept = table?.elements.filter(({ elements: [weight] }) => weights.includes(String(weight?.value)));
        if (!table || kept?.length !== weights.length) return this.error(changed);
        const rows = kept.map(({ start, end }) => code.slice(start, end));
        return { code: `${code.slice(0, table.start)}[${rows.join()}]${code.slice(table.end)}`, map: null };
      },
    },
  };
}
