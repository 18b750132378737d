import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Default ports. PostgreSQL's is not 5432, so that an installed one is not in its way. */
export const DEFAULT_PORTS = { api: 3000, postgres: 54_320, temporal: 7233, temporalUi: 8233 } as const;

/** Addresses at which a port must be free: on loopback alone, on every address of this machine, or on one of them. */
export type Reach = 'loopback' | 'everywhere' | { address: string };

/** Whether that port can be listened on now. */
export async function isPortFree(port: number, reach: Reach = 'loopback'): Promise<boolean> {
  return (await tryPort(port, reach)) !== undefined;
}

// Below the ports that systems give out by themselves (32,768 and up on Linux): a server that is started again finds its own still
// free.
const CHOSEN_PORTS = { from: 20_000, to: 32_000 } as const;
const TRIES = 100;
const LAST_PORT = 65_535;
const STARTS = 3;

/** A port that was free a moment ago, and that nobody gets by chance. */
export async function findFreePort(reach: Reach = 'loopback'): Promise<number> {
  for (let count = 0; count < TRIES; count += 1) {
    const port = await tryPort(randomInt(CHOSEN_PORTS.from, CHOSEN_PORTS.to), reach);
    if (port !== undefined) return port;
  }
  throw new Error('This machine has no free port');
}

/** `wanted` where it is free, otherwise the next free one, with a line that says so: people look at 3001 when 3000 is taken. */
export async function choosePort(
  part: string,
  wanted: number,
  onProgress: (line: string) => void,
  reach: Reach = 'loopback',
): Promise<number> {
  if (await isPortFree(wanted, reach)) return wanted;
  const last = Math.min(wanted + TRIES, LAST_PORT);
  for (let port = wanted + 1; port <= last; port += 1) {
    if (!(await isPortFree(port, reach))) continue;
    onProgress(`Port ${wanted} is taken by another program: ${part} listens on ${port}`);
    return port;
  }
  throw new Error(`${part} finds no free port from ${wanted} to ${last}`);
}

/**
 * Runs `start`, and runs it again, with another port, when a program took the chosen one before the server listened there. Both
 * servers say so in the last lines of their logs, which are in the error.
 */
export async function whilePortsAreTaken<T>(start: () => Promise<T>, onProgress: (line: string) => void): Promise<T> {
  for (let left = STARTS; ; left -= 1) {
    try {
      return await start();
    } catch (failure) {
      const isTaken = failure instanceof Error && /address already in use/i.test(failure.message);
      if (!isTaken || left === 1) throw failure;
      onProgress('Its port was taken by another program meanwhile; starting it again');
    }
  }
}

const hostOf = (reach: Exclude<Reach, 'everywhere'>): string => (reach === 'loopback' ? '127.0.0.1' : reach.address);

function tryPort(port: number, reach: Reach): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.unref();
    server.once('error', () => resolve(undefined));
    server.listen({ port, exclusive: true, ...(reach !== 'everywhere' && { host: hostOf(reach) }) }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined));
    });
  });
}

/** A line of /proc/<pid>/net/tcp in the state LISTEN: its port, in hexadecimal, and the inode of its socket (proc_pid_net(5)). */
const LISTENING_SOCKET = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) \S+ 0A (?:\S+ +){5}(\d+) /gm;

/**
 * The TCP ports that a process listens on now, at any address. Linux shows the processes of the same user; other systems show none.
 */
export function listeningPorts(pid: number): number[] {
  const sockets = socketsOf(pid);
  const ports = ['tcp', 'tcp6']
    .flatMap((table) => [
      ...readOrNothing(() => readFileSync(`/proc/${pid}/net/${table}`, 'latin1')).matchAll(LISTENING_SOCKET),
    ])
    .filter(([, , inode = '']) => sockets.has(`socket:[${inode}]`))
    .map(([, port = '']) => Number.parseInt(port, 16));
  return [...new Set(ports)];
}

function socketsOf(pid: number): Set<string> {
  const folder = `/proc/${pid}/fd`;
  try {
    // A descriptor that is closed between the two reads is no socket that listens.
    return new Set(readdirSync(folder).map((name) => readOrNothing(() => readlinkSync(`${folder}/${name}`))));
  } catch {
    return new Set();
  }
}

function readOrNothing(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
