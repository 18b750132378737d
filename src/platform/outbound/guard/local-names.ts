import { open } from 'node:fs/promises';
import { isIP } from 'node:net';

/** What this machine itself says of names: its hosts file, and the domains in which its resolver looks for a short name. */
export type LocalNames = {
  /** Addresses of a name in the hosts file; none where it does not have the name. */
  addressesOf(name: string): Promise<readonly string[]>;
  /** Domains of the last `search` or `domain` line of resolv.conf (resolv.conf(5)). */
  searchDomains(): Promise<readonly string[]>;
};

/** Time for which a file's content is used, ms: a container that joins a network is found within it. */
const FRESH_MS = 5_000;
/** Bytes that are read of a file. A hosts file that blocks advertisements has a few MiB, and its own names stand at its beginning. */
const MAX_BYTES = 262_144;
/** Most search domains (the bound that resolvers had for decades): each is two more questions for a name that does not exist. */
const MAX_SEARCH_DOMAINS = 6;

/** Rows of words of a file, without comments; none where it cannot be read. */
async function readRows(path: string): Promise<string[][]> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return [];
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
    return buffer
      .toString('utf8', 0, bytesRead)
      .split('\n')
      .map((line) => (line.split(/[#;]/, 1)[0] ?? '').split(/\s+/).filter((word) => word !== ''));
  } catch {
    return [];
  } finally {
    await file.close();
  }
}

/** `read`, whose result is used for FRESH_MS. */
function remembered<T>(read: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined;
  let readAt = 0;
  return () => {
    if (known === undefined || performance.now() - readAt > FRESH_MS) {
      readAt = performance.now();
      known = read();
    }
    return known;
  };
}

/** Names as this machine knows them. Tests give other files. A file that is absent or cannot be read says nothing. */
export function createLocalNames({
  hostsFile = '/etc/hosts',
  resolvConf = '/etc/resolv.conf',
}: {
  hostsFile?: string;
  resolvConf?: string;
} = {}): LocalNames {
  const hosts = remembered(async () => {
    const byName = new Map<string, string[]>();
    for (const [address = '', ...names] of await readRows(hostsFile)) {
      if (isIP(address) === 0) continue;
      for (const name of names) byName.set(name.toLowerCase(), [...(byName.get(name.toLowerCase()) ?? []), address]);
    }
    return byName;
  });
  const searched = remembered(async () => {
    const rows = await readRows(resolvConf);
    const [, ...domains] = rows.findLast(([word]) => word === 'search' || word === 'domain') ?? [];
    return domains.map((domain) => domain.replace(/\.$/, '')).filter((domain) => domain !== '');
  });
  return {
    addressesOf: async (name) => (await hosts()).get(name) ?? [],
    searchDomains: async () => (await searched()).slice(0, MAX_SEARCH_DOMAINS),
  };
}
