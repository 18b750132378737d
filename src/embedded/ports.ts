import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Where the parts listen when nothing else is asked for; PostgreSQL's is not 5432, so that an installed one is not in its way. */
export const DEFAULT_PORTS = { api: 3000, postgres: 54_320, temporal: 7233, temporalUi: 8233 } as const;

/** Whether this machine's loopback port can be listened on now. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await tryPort(port)) !== undefined;
}

// Below what systems give to whoever asks for any port (32,768 and up on Linux): a server that is started again finds its own
// still free.
const CHOSEN_PORTS = { from: 20_000, to: 32_000 } as const;
const TRIES = 100;
const STARTS = 3;

/** A port of loopback that was free a moment ago, and that nobody gets by chance. */
export async function findFreePort(): Promise<number> {
  for (let count = 0; count < TRIES; count += 1) {
    const port = await tryPort(randomInt(CHOSEN_PORTS.from, CHOSEN_PORTS.to));
    if (port !== undefined) return port;
  }
  throw new Error('This machine has no free port on 127.0.0.1');
}

/** `wanted` where it is free, else another one, with a line that says so. */
export async function choosePort(part: string, wanted: number, onProgress: (line: string) => void): Promise<number> {
  if (await isPortFree(wanted)) return wanted;
  const port = await findFreePort();
  onProgress(`Port ${wanted} is taken by another program: ${part} listens on ${port}`);
  return port;
}

/**
 * What `start` gives; done again, which chooses another port, when a program took the one it had chosen before it listened there.
 * Both servers say so in the last lines of their logs, which are in the error.
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

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.unref();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined));
    });
  });
}
