import { join } from 'node:path';
import { findFreePort } from '../../local/ports.ts';
import { startChild, type TopologyChild } from './child.ts';

/** How a link misbehaves, in the words of Toxiproxy. The rest of a connection goes on as it is. */
export type Toxic =
  | { type: 'latency'; attributes: { latency: number; jitter: number } }
  | { type: 'slicer'; attributes: { average_size: number; size_variation: number; delay: number } }
  | { type: 'reset_peer'; attributes: { timeout: number } };

/** A way from one part to another, through Toxiproxy. */
export type Link = {
  name: string;
  /** host:port that the one part connects to. */
  address: string;
  /** Both directions are under the toxic until `mend`, or the way back alone. */
  break(toxic: Toxic, streams?: readonly ('upstream' | 'downstream')[]): Promise<void>;
  mend(): Promise<void>;
};

export type Links = {
  child: TopologyChild;
  /** Opens a link to `target`, host:port, on a port of its own. */
  open(name: string, target: string): Promise<Link>;
};

/** Toxiproxy, through which the links of the topology go. */
export async function startLinks(toxiproxy: string, folder: string): Promise<Links> {
  const port = await findFreePort();
  const api = `http://127.0.0.1:${port}`;
  const child = await startChild(
    'Toxiproxy',
    [toxiproxy, '-host', '127.0.0.1', '-port', String(port)],
    { logPath: join(folder, 'toxiproxy.log') },
    () =>
      fetch(`${api}/version`).then(
        ({ ok }) => ok,
        () => false,
      ),
  );
  return {
    child,
    async open(name, target) {
      const address = `127.0.0.1:${await findFreePort()}`;
      await call(`${api}/proxies`, 'POST', { name, listen: address, upstream: target, enabled: true });
      const toxics = `${api}/proxies/${name}/toxics`;
      const broken = new Set<string>();
      return {
        name,
        address,
        async break({ type, attributes }, streams = ['upstream', 'downstream']) {
          for (const stream of streams) {
            const toxic = `${type}-${stream}`;
            await call(toxics, 'POST', { name: toxic, type, stream, attributes });
            broken.add(toxic);
          }
        },
        async mend() {
          for (const toxic of broken) await call(`${toxics}/${toxic}`, 'DELETE');
          broken.clear();
        },
      };
    },
  };
}

async function call(url: string, method: string, body?: unknown): Promise<void> {
  const answer = await fetch(url, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
  if (!answer.ok) throw new Error(`Toxiproxy answered ${method} ${url} with ${answer.status}: ${await answer.text()}`);
  await answer.body?.cancel();
}
