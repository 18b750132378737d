import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

const PROJECT = join(import.meta.dirname, '../../..');

/** Which nodes each node imports. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns the text of every source file of a folder, React pages included, by path; tests and generated files are left out. */
export function sourcesOf(folder: string): Map<string, string> {
  const paths = readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => posix.join(folder, path.replaceAll('\\', '/')))
    .filter((path) => /(?<!\.test)\.tsx?$/.test(path) && !path.includes('/generated/'));
  return new Map(paths.map((path) => [path, readFileSync(join(PROJECT, path), 'utf8')]));
}

/** Relative specifiers of every kind: `import`, `import type`, `export … from` and `import()`. */
const SPECIFIER = /(?:\bfrom|\bimport|\bimport\()\s*['"](\.{1,2}\/[^'"]+)['"]/g;

/** Returns the imports among the given files, type imports included. Throws for one that does not resolve: it would hide an edge. */
export function importsOf(sources: ReadonlyMap<string, string>): Graph {
  const graph = new Map<string, Set<string>>();
  for (const [path, text] of sources) {
    const targets = Array.from(text.matchAll(SPECIFIER), ([, specifier = '']) => posix.join(dirname(path), specifier));
    const lost = targets.find((target) => !sources.has(target) && !existsSync(join(PROJECT, target)));
    if (lost !== undefined) throw new Error(`${path} imports ${lost}, which is not there`);
    graph.set(path, new Set(targets.filter((target) => sources.has(target))));
  }
  return graph;
}

/** Returns the cycles of a graph, each as a sorted list of the nodes that import each other, directly or not. */
export function circlesOf(graph: Graph): string[][] {
  const reach = new Map(Array.from(graph.keys(), (node) => [node, reachableFrom(graph, node)]));
  const circles = new Map<string, string[]>();
  for (const [node, reached] of reach) {
    if (!reached.has(node)) continue;
    const circle = [...reached].filter((other) => reach.get(other)?.has(node)).toSorted();
    circles.set(circle.join(' '), circle);
  }
  return [...circles.values()];
}

function reachableFrom(graph: Graph, start: string): Set<string> {
  const reached = new Set<string>();
  const open = [...(graph.get(start) ?? [])];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (reached.has(node)) continue;
    reached.add(node);
    open.push(...(graph.get(node) ?? []));
  }
  return reached;
}
