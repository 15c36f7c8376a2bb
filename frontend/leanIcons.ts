import { type Plugin, parseAst } from 'vite';
import { bold, undrawn } from './src/theme/undrawn';

interface Row {
  elements: { value?: unknown }[];
  start: number;
  end: number;
}

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

/**
 * Removes the drawings of icon weights that no screen uses, half of the size of the icons. Phosphor has six drawings
 * of every icon in one table, which no bundler can split.
 */
export function leanIcons(): Plugin {
  return {
    name: 'lean-icons',
    apply: 'build',
    transform: {
      filter: { id: /@phosphor-icons\/react\/dist\/defs\/\w+\.es\.js$/ },
      handler(code, id) {
        const left = bold.some((name) => id.endsWith(`/${name}.es.js`)) ? undrawn : [...undrawn, 'bold'];
        const table = tableOf(code);
        const kept = table?.elements.filter(({ elements: [weight] }) => !left.includes(String(weight?.value)));
        if (!table || kept?.length !== table.elements.length - left.length) {
          return this.error('The format of the Phosphor icons has changed: adapt leanIcons.ts.');
        }
        const rows = kept.map(({ start, end }) => code.slice(start, end));
        return { code: `${code.slice(0, table.start)}[${rows.join()}]${code.slice(table.end)}`, map: null };
      },
    },
  };
}
