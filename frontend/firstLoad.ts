import { readFileSync } from 'node:fs';

interface Graph {
  getModuleInfo: (id: string) => { importedIds: string[] } | null;
}

const own = /^[^\0]*\/(frontend\/src|contract)\/.*\.[jt]sx?$/;
/** Modules that `leanContract.ts` writes. */
const written = /^\0virtual:routes\//;
const icon = /@phosphor-icons\/react\/dist\/(?:csr|defs)\/(\w+)\.es\.js$/;
const iconBase = /@phosphor-icons\/react\/dist\/lib\//;

/** Returns a module of ours with all modules of ours that it imports statically. */
function withImports(id: string, graph: Graph, found = new Set<string>()): Set<string> {
  if (found.has(id) || !(own.test(id) || written.test(id))) return found;
  found.add(id);
  for (const one of graph.getModuleInfo(id)?.importedIds ?? []) withImports(one, graph, found);
  return found;
}

/** Returns the names of the icons that the modules use. Their imports lead to a list of all icons. */
const iconsOf = (ids: Iterable<string>) =>
  new Set(
    [...ids]
      .filter((id) => own.test(id))
      .flatMap((id) => [...readFileSync(id, 'utf8').matchAll(/\b([A-Z]\w*)Icon\b/g)].map(([, name]) => name)),
  );

/**
 * Names the chunk of a module: one for everything of ours that the modules at `entries` need beside the modules at
 * `before`, which are loaded already, and none for other modules. With `others`, only what those need too.
 * Without it each icon and each small module is a request.
 */
export function chunkOf(
  name: string,
  entries: readonly string[],
  before: readonly string[],
  others: readonly string[] = entries,
) {
  let known: { modules: Set<string>; icons: Set<string | undefined> } | undefined;
  const allOf = (ids: readonly string[], graph: Graph) => {
    const found = new Set<string>();
    for (const id of ids) withImports(id, graph, found);
    return found;
  };
  const read = (graph: Graph) => {
    const modules = allOf(entries, graph);
    const icons = iconsOf(modules);
    const loaded = allOf(before, graph);
    const shared = allOf(others, graph);
    const sharedIcons = iconsOf(shared);
    for (const id of modules) if (!shared.has(id)) modules.delete(id);
    for (const drawn of icons) if (!sharedIcons.has(drawn)) icons.delete(drawn);
    for (const id of [...entries, ...loaded]) modules.delete(id);
    for (const drawn of iconsOf(loaded)) icons.delete(drawn);
    return { modules, icons };
  };
  return (id: string, graph: Graph): string | null => {
    known ??= read(graph);
    const [, drawn] = icon.exec(id) ?? [];
    return known.modules.has(id) || iconBase.test(id) || (drawn !== undefined && known.icons.has(drawn)) ? name : null;
  };
}
