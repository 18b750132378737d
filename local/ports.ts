import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Default ports. PostgreSQL's is not 5432, so as not to conflict with an installed one. */
export const DEFAULT_PORTS = { api: 3000, postgres: 54_320, temporal: 7233, temporalUi: 8233 } as const;

/** Where a port must be free: only on loopback, on every address of this machine, or on one of them. */
export type Reach = 'loopback' | 'everywhere' | { address: string };

/** Whether that port is free to listen on at the moment. */
export async function isPortFree(port: number, reach: Reach = 'loopback'): Promise<boolean> {
  return (await tryPort(port, reach)) !== undefined;
}

// Below the ports that systems assign by themselves (32,768 and up on Linux), so that a restarted server finds its own still free.
const CHOSEN_PORTS = { from: 20_000, to: 32_000 } as const;
const TRIES = 100;
const LAST_PORT = 65_535;
const STARTS = 3;

/** Returns a port that is free at the moment and will not be assigned to another program by chance. */
export async function findFreePort(reach: Reach = 'loopback'): Promise<number> {
  for (let count = 0; count < TRIES; count += 1) {
    const port = await tryPort(randomInt(CHOSEN_PORTS.from, CHOSEN_PORTS.to), reach);
    if (port !== undefined) return port;
  }
  throw new Error('This machine has no free port');
}

/** Returns `wanted` if it is free, otherwise the next free port, with a line that says so: people look at 3001 if 3000 is in use. */
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
    onProgress(`Port ${wanted} is in use by another program; ${part} listens on ${port} instead`);
    return port;
  }
  throw new Error(`${part}: there is no free port from ${wanted} to ${last}`);
}

/**
 * Runs `start`, and again with another port if a program took the chosen one before the server listened on it. Both servers say so in
 * the last lines of their logs, which are in the error.
 */
export async function whilePortsAreTaken<T>(start: () => Promise<T>, onProgress: (line: string) => void): Promise<T> {
  for (let left = STARTS; ; left -= 1) {
    try {
      return await start();
    } catch (failure) {
      const isTaken = failure instanceof Error && /address already in use/i.test(failure.message);
      if (!isTaken || left === 1) throw failure;
      onProgress('Its port was taken by another program in the meantime; starting it again');
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
 * The TCP ports on which a process listens now, at any address. Linux shows those of processes of the same user; other systems show
 * none.
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
    // A descriptor that is closed between the two reads is not a listening socket.
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
