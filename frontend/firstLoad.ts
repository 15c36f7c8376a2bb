import { readFileSync } from 'node:fs';

interface Graph {
  getModuleInfo: (id: string) => { importedIds: string[] } | null;
}

const own = /\/(frontend\/src|contract)\/.*\.[jt]sx?$/;
const icon = /@phosphor-icons\/react\/dist\/(?:csr|defs)\/(\w+)\.es\.js$/;
const iconBase = /@phosphor-icons\/react\/dist\/lib\//;

/** Returns a module of ours with all modules of ours that it imports statically. */
function withImports(id: string, graph: Graph, found = new Set<string>()): Set<string> {
  if (found.has(id) || !own.test(id)) return found;
  found.add(id);
  for (const one of graph.getModuleInfo(id)?.importedIds ?? []) withImports(one, graph, found);
  return found;
}

/** Returns the names of the icons that the modules use. Their imports lead to a list of all icons. */
const iconsOf = (ids: Iterable<string>) =>
  new Set(
    [...ids].flatMap((id) => [...readFileSync(id, 'utf8').matchAll(/\b([A-Z]\w*)Icon\b/g)].map(([, name]) => name)),
  );

/**
 * Names the chunk of a module: one for everything that the screen at `entry` needs beside the first script of the page,
 * and none for other modules. Without it each icon and each small module of the screen is a request.
 */
export function chunkOf(name: string, entry: string, main: string) {
  let known: { modules: Set<string>; icons: Set<string | undefined> } | undefined;
  const read = (graph: Graph) => {
    const before = withImports(main, graph);
    const modules = withImports(entry, graph);
    const icons = iconsOf(modules);
    for (const id of [entry, ...before]) modules.delete(id);
    return { modules, icons };
  };
  return (id: string, graph: Graph): string | null => {
    known ??= read(graph);
    const [, drawn] = icon.exec(id) ?? [];
    const needed = known.modules.has(id) || iconBase.test(id) || (drawn !== undefined && known.icons.has(drawn));
    return needed ? name : null;
  };
}
