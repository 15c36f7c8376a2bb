import { type Plugin, parseAst } from 'vite';
import { undrawn } from './src/theme/undrawn';

interface Row {
  elements: { value?: unknown }[];
  start: number;
  end: number;
}

/** The table of `const a = new Map([[weight, drawing], …])`. */
function tableOf(code: string) {
  for (const statement of parseAst(code).body) {
    if (statement.type !== 'VariableDeclaration') continue;
    const made = statement.declarations[0]?.init;
    const table = made?.type === 'NewExpression' ? made.arguments[0] : undefined;
    if (table?.type === 'ArrayExpression') return { ...table, elements: table.elements as unknown as Row[] };
  }
  return undefined;
}

/**
 * Phosphor brings six drawings of every icon, in one table that no bundler can take apart. Those of the weights that no
 * screen uses are left out: a third of what the icons weigh.
 */
export function leanIcons(): Plugin {
  return {
    name: 'lean-icons',
    apply: 'build',
    transform: {
      filter: { id: /@phosphor-icons\/react\/dist\/defs\/\w+\.es\.js$/ },
      handler(code) {
        const table = tableOf(code);
        const kept = table?.elements.filter(({ elements: [weight] }) => !undrawn.includes(String(weight?.value)));
        if (!table || kept?.length !== table.elements.length - undrawn.length) {
          return this.error('The icons are not made the way they were: see leanIcons.ts.');
        }
        const rows = kept.map(({ start, end }) => code.slice(start, end));
        return { code: `${code.slice(0, table.start)}[${rows.join()}]${code.slice(table.end)}`, map: null };
      },
    },
  };
}
