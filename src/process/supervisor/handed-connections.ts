import type { Worker } from 'node:cluster';

/** A connection that node:cluster gives to a worker, as its round robin writes it (lib/internal/cluster/round_robin_handle.js of Node). */
type Offer = { cmd?: unknown; act?: unknown; seq?: unknown };
type Connection = { close(): void };
/** The answer to one: `ack` is the number of the offer. */
type Answer = { cmd?: unknown; ack?: unknown };

export type HandedConnections = {
  /** Remembers what the worker is given and has not taken yet. Called before it listens. */
  watch(worker: Worker): void;
  /** Gives what a dead worker has not taken to one that listens, else hangs up. Called when its pipe is empty. */
  giveBack(worker: Worker): void;
};

/**
 * Connections on their way to a service process. node:cluster forgets one whose worker dies before it takes it: its caller then waits
 * for ever, since the supervisor holds the connection open. A worker that stands still has one such connection at most.
 */
export function createHandedConnections(): HandedConnections {
  const given = new Map<Worker, Map<number, Connection>>();
  const listening = new Set<Worker>();
  return {
    watch(worker) {
      const connections = new Map<number, Connection>();
      given.set(worker, connections);
      worker.on('listening', () => listening.add(worker));
      worker.on('disconnect', () => listening.delete(worker));
      const { process: child } = worker;
      const send = child.send.bind(child);
      // `as`: all forms of `send`, whose arguments go on unread.
      child.send = ((...words: Parameters<typeof send>) => {
        const [offer, connection] = words as [Offer, Connection | undefined];
        if (offer.cmd === 'NODE_CLUSTER' && offer.act === 'newconn' && typeof offer.seq === 'number' && connection)
          connections.set(offer.seq, connection);
        return send(...words);
      }) as typeof child.send;
      child.on('internalMessage', ({ cmd, ack }: Answer) => {
        if (cmd === 'NODE_CLUSTER' && typeof ack === 'number') connections.delete(ack);
      });
    },
    giveBack(worker) {
      const connections = [...(given.get(worker) ?? [])];
      given.delete(worker);
      listening.delete(worker);
      // Node waits for a message more where the pipe ended within a handle's: only then is this worker out of the round robin.
      worker.process.emit('internalMessage', { cmd: 'NODE_CLUSTER' }, undefined);
      for (const [seq, connection] of connections) {
        // The round robin gives to another what a worker has refused. Without another it would keep the connection for ever.
        if (listening.size > 0)
          worker.process.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: seq, accepted: false }, undefined);
        else connection.close();
      }
    },
  };
}
