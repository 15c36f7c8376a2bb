import { type Plugin, parseAst } from 'vite';

const contract = /\/contract\/dist\/.*\.js$/;
const ours = /\/frontend\/src\/.*\.tsx?$/;
const imported = /import \{([^}]*)\} from "(@lightbox\/contract\/[^"]+\.js)";/g;
const routes = 'virtual:routes/';

/** Marks a value as one that may be left out when nobody reads it. A bundler cannot tell this of a call. */
const spare = (value: string) => `/* @__PURE__ */ (() => (${value}))()`;

/** True when a value is made by a call, so that its making could have an effect. */
const isMade = (type: string) => type === 'CallExpression' || type === 'ObjectExpression' || type === 'NewExpression';

/**
 * Leaves the validation of the gateway out of the screens that do not need it: 50 KB of the first load of /messages.
 *
 * The modules of the contract have no effects, so each value that no screen reads is left out. A screen that only makes
 * the calls of a table (`userCalls`) gets their methods and paths; one that reads a schema (`userCalls.x.body`) gets all.
 */
export function leanContract(): Plugin {
  return {
    name: 'lean-contract',
    apply: 'build',
    resolveId: (id) => (id.startsWith(routes) ? { id: `\0${id}`, moduleSideEffects: false } : null),
    async load(id) {
      if (!id.startsWith(`\0${routes}`)) return null;
      const tables: Record<string, Record<string, { method: string; path: string }>> = await import(
        id.slice(routes.length + 1)
      );
      return Object.entries(tables)
        .filter(([name]) => name.endsWith('Calls'))
        .map(([name, calls]) => {
          const rows = Object.entries(calls).map(([call, { method, path }]) => [call, { method, path }]);
          return `export const ${name} = ${JSON.stringify(Object.fromEntries(rows))};`;
        })
        .join('\n');
    },
    transform(code, id) {
      if (contract.test(id)) {
        let lean = code;
        for (const statement of parseAst(code).body.reverse()) {
          const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
          if (declared?.type !== 'VariableDeclaration') continue;
          for (const { init } of declared.declarations.toReversed()) {
            if (!init || !isMade(init.type)) continue;
            lean = lean.slice(0, init.start) + spare(lean.slice(init.start, init.end)) + lean.slice(init.end);
          }
        }
        return { code: lean, map: null, moduleSideEffects: false };
      }
      if (!ours.test(id)) return null;
      const readsSchema = (table: string) =>
        new RegExp(`\\b${table}\\.\\w+\\.(?:body|data|query|params)\\b`).test(code);
      const lean = code.replace(imported, (statement, names: string, from: string) => {
        const all = names.split(',').map((name) => name.trim());
        const tables = all.filter((name) => name.endsWith('Calls') && !readsSchema(name));
        const others = all.filter((name) => name && !tables.includes(name));
        if (tables.length === 0) return statement;
        const rest = others.length > 0 ? `import { ${others.join(', ')} } from "${from}";` : '';
        return `import { ${tables.join(', ')} } from "${routes}${from}";${rest}`;
      });
      return lean === code ? null : { code: lean, map: null };
    },
  };
}
