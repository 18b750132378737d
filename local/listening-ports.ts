import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

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
