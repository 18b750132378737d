import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'undici';
import { formatTable } from './statistics.ts';

type ProfileNode = { id: number; callFrame: { functionName: string; url: string; lineNumber: number } };
type Profile = { nodes: ProfileNode[]; samples: number[]; timeDeltas: number[] };

const root = fileURLToPath(new URL('..', import.meta.url));
const SAMPLE_EVERY_MICROSECONDS = 250;
const TOP_FUNCTIONS = 60;

/**
 * Profiles the main thread of a process behind its inspector from now on. The returned function ends it and writes `<path>.cpuprofile`
 * and, as `<path>.txt`, the functions with the largest own time.
 */
export async function startProfile(inspectorUrl: string): Promise<(path: string) => Promise<void>> {
  const socket = new WebSocket(inspectorUrl);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', reject, { once: true });
  });
  const waiting = new Map<number, (result: unknown) => void>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    // The inspector protocol: an answer carries the number of its question; events carry none.
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown };
    if (id === undefined) return;
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  const ask = (method: string, params: object = {}): Promise<unknown> =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  await ask('Profiler.enable');
  await ask('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_MICROSECONDS });
  await ask('Profiler.start');
  return async (path) => {
    const { profile } = (await ask('Profiler.stop')) as { profile: Profile };
    socket.close();
    writeFileSync(`${path}.cpuprofile`, JSON.stringify(profile));
    writeFileSync(`${path}.txt`, `${topFunctions(profile)}\n`);
  };
}

/** Functions by the time spent in themselves, ms and part of the time that was not idle. */
function topFunctions({ nodes, samples, timeDeltas }: Profile): string {
  const nodeOf = new Map(nodes.map((node) => [node.id, node]));
  const byFunction = new Map<string, number>();
  const byPlace = new Map<string, number>();
  let busy = 0;
  samples.forEach((id, index) => {
    const frame = nodeOf.get(id)?.callFrame;
    const ms = (timeDeltas[index] ?? 0) / 1_000;
    if (frame === undefined || frame.functionName === '(idle)') return;
    busy += ms;
    const place = placeOf(frame.url);
    const name = `${frame.functionName || '(anonymous)'}  ${place}${frame.url === '' ? '' : `:${frame.lineNumber + 1}`}`;
    byFunction.set(name, (byFunction.get(name) ?? 0) + ms);
    const part = frame.url === '' ? `${frame.functionName} (engine)` : partOf(place);
    byPlace.set(part, (byPlace.get(part) ?? 0) + ms);
  });
  const table = (times: ReadonlyMap<string, number>): string =>
    formatTable(
      ['where', 'self ms', 'part'],
      [...times]
        .sort(([, a], [, b]) => b - a)
        .slice(0, TOP_FUNCTIONS)
        .map(([name, ms]) => [name, ms.toFixed(0), `${((ms / busy) * 100).toFixed(1)} %`]),
      1,
    );
  return `Main thread, busy for ${busy.toFixed(0)} ms\n\n${table(byPlace)}\n\n${table(byFunction)}`;
}

const placeOf = (url: string): string => (url.startsWith('file:') ? relative(root, fileURLToPath(url)) : url);

/** A package, a folder of our own, or a part of Node. */
function partOf(place: string): string {
  const inPackage = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(place)?.[1];
  if (inPackage !== undefined) return inPackage;
  return place.startsWith('node:') ? place : place.split('/').slice(0, 3).join('/');
}
