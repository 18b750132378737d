import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { waitFor } from '../check/wait-for.ts';

/** A service process as /readyz shows it. */
export type ShownProcess = { number: number; pid: number; state: string; restarts: number };

/** Returns the service processes at that address, as shown by whichever of them responds. */
export async function shownProcesses(url: string): Promise<ShownProcess[]> {
  const answer = await fetch(`${url}/readyz`, { headers: { connection: 'close' } });
  // `as`: as src/api/http/health.ts describes it.
  return ((await answer.json()) as { processes?: ShownProcess[] }).processes ?? [];
}

/** Waits until all of them run and one of them shows it; `but` are pids that must be gone. */
export const untilAllRun = (url: string, { but = [] }: { but?: readonly number[] } = {}): Promise<ShownProcess[]> =>
  waitFor('all service processes to run', async () => {
    const shown = await shownProcesses(url).catch(() => []);
    const isWhole = shown.length > 0 && shown.every(({ state, pid }) => state === 'running' && !but.includes(pid));
    return isWhole && shown;
  });

/** Returns the pids of a supervisor's current service processes. */
export function childrenOf(pid: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [, child, parent, args = ''] = /^ *(\d+) +(\d+) (.*)$/.exec(line) ?? [];
    return Number(parent) === pid && args.includes('service-process') ? [Number(child)] : [];
  });
}

/** A line of /proc/<pid>/net/tcp of an open connection: both ports, in hexadecimal, and the inode of its socket. */
const CONNECTION = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:([0-9A-F]{4}) 01 (?:\S+ +){5}(\d+) /gm;

/** Returns which process has the connection from a caller's port to `port`, or undefined if none has. Linux only. */
export function holderOf(pids: readonly number[], port: number, callerPort: number): number | undefined {
  return pids.find((pid) => {
    const sockets = socketsOf(pid);
    return ['tcp', 'tcp6'].some((table) =>
      [...readFileSync(`/proc/${pid}/net/${table}`, 'latin1').matchAll(CONNECTION)].some(
        ([, own = '', other = '', inode = '']) =>
          Number.parseInt(own, 16) === port &&
          Number.parseInt(other, 16) === callerPort &&
          sockets.has(`socket:[${inode}]`),
      ),
    );
  });
}

function socketsOf(pid: number): Set<string> {
  const folder = `/proc/${pid}/fd`;
  const names = readdirSync(folder);
  return new Set(
    names.map((name) => {
      try {
        return readlinkSync(`${folder}/${name}`);
      } catch {
        // Closed between the two reads.
        return '';
      }
    }),
  );
}
