import { readdirSync, readFileSync } from 'node:fs';

// Linux counts CPU time in hundredths of a second for programs, whatever the kernel's own tick is.
const TICK_MS = 10;
const KIB = 1024;

type Stat = { parent: number; cpuMs: number };

/** CPU time so far and memory now of a process and its descendants; `rssBytes` counts shared memory once. */
export type Usage = { cpuMs: number; rssBytes: number };

/** The four times of /proc/<pid>/stat: user and system, its own and of its children that have ended. */
function readStat(pid: number): Stat | undefined {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // Behind the name, which stands in brackets and may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: Number(fields[1]), cpuMs: ticks * TICK_MS };
}

/** Usage of the trees that begin at these processes. A process that is gone counts nothing. */
export function readUsage<Name extends string>(roots: Readonly<Record<Name, number>>): Record<Name, Usage> {
  const stats = new Map<number, Stat>();
  for (const entry of readProcesses()) {
    const stat = readStat(entry);
    if (stat !== undefined) stats.set(entry, stat);
  }
  const usage = Object.entries<number>(roots).map(([name, root]) => [name, usageOfTree(root, stats)] as const);
  return Object.fromEntries(usage) as Record<Name, Usage>;
}

function usageOfTree(root: number, stats: ReadonlyMap<number, Stat>): Usage {
  const pids = [root];
  for (let index = 0; index < pids.length; index += 1) {
    for (const [pid, { parent }] of stats) if (parent === pids[index]) pids.push(pid);
  }
  let own = 0;
  let shared = 0;
  let cpuMs = 0;
  for (const pid of pids) {
    cpuMs += stats.get(pid)?.cpuMs ?? 0;
    const status = read(`/proc/${pid}/status`) ?? '';
    own += kibOf(status, 'RssAnon') + (pid === root ? kibOf(status, 'RssFile') : 0);
    // PostgreSQL's processes map one and the same pool of buffers.
    shared = Math.max(shared, kibOf(status, 'RssShmem'));
  }
  return { cpuMs, rssBytes: (own + shared) * KIB };
}

/**
 * CPU time of the whole machine that was not idle, ms over all its processors, with what a virtual machine's host took for
 * others; 0 where the system does not tell.
 */
export function readBusyMs(): number {
  const [line = ''] = (read('/proc/stat') ?? '').split('\n');
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, stolen = 0] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softIrq + stolen) * TICK_MS;
}

function readProcesses(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

const kibOf = (status: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended meanwhile, or this is no Linux.
    return undefined;
  }
}
