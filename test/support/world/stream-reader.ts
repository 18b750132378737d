import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { messageAnswer } from '../../../src/messaging/messages/schema.ts';
import { problemsOf } from '../check/answer-check.ts';
import { waitFor } from '../check/wait-for.ts';

/** One event as WHATWG HTML §9.2.6 dispatches it: `id` is the last one given, with this event or before it. */
type StreamEvent = { id: string; event: string; data: string };

/** A reader of server-sent events on a connection of its own. */
export type StreamReader = {
  status: number;
  headers: IncomingHttpHeaders;
  /** Port of its end of the connection. */
  port: number;
  /** Everything that has come, as it stood on the wire. */
  text(): string;
  events: StreamEvent[];
  /** The id that a reader names in Last-Event-ID when it comes again; events without data set it too. */
  lastEventId(): string | undefined;
  /** Waits until there are that many events. */
  waitForEvents(count: number): Promise<StreamEvent[]>;
  /** Whether the service has ended the stream, and whether it did so properly. */
  end(): 'whole' | 'cut' | undefined;
  waitForEnd(): Promise<'whole' | 'cut'>;
  /** Takes no more bytes from its connection, until `goOn`. */
  pause(): void;
  goOn(): void;
  /** Hangs up. */
  close(): void;
};

export type StreamRequest = { url: string; key: string; lastEventId?: string | undefined; method?: string };

/** A query for everything that a channel has. */
export const BEGINNING = 'since=2026-01-01T00:00:00Z';

/** The ids of the messages that have come, in their order. */
export const idsOf = ({ events }: Pick<StreamReader, 'events'>): string[] =>
  events.map(({ data }) => (JSON.parse(data) as { id: string }).id);

export async function openStream({ url, key, lastEventId, method = 'GET' }: StreamRequest): Promise<StreamReader> {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  };
  const outgoing = request(url, { method, headers, agent: false });
  outgoing.on('error', () => undefined);
  outgoing.end();
  // `as`: what a response event carries.
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage & { socket: Socket }];
  const events: StreamEvent[] = [];
  const texts: string[] = [];
  let rest = '';
  let id: string | undefined;
  let ended: 'whole' | 'cut' | undefined;

  const readBlock = (block: string): void => {
    const fields = new Map<string, string[]>();
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^([^:]*)(?:: ?([^]*))?$/.exec(line) ?? [];
      fields.set(name, [...(fields.get(name) ?? []), value]);
    }
    id = fields.get('id')?.at(-1) ?? id;
    const data = fields.get('data');
    if (data !== undefined)
      events.push({ id: id ?? '', event: fields.get('event')?.at(-1) ?? '', data: data.join('\n') });
  };
  incoming.setEncoding('utf8');
  incoming.on('data', (chunk: string) => {
    texts.push(chunk);
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) readBlock(block);
  });
  incoming.on('error', () => undefined);
  incoming.on('close', () => {
    ended = incoming.complete ? 'whole' : 'cut';
  });
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    port: incoming.socket.localPort ?? 0,
    text: () => texts.join(''),
    events,
    lastEventId: () => id,
    async waitForEvents(count) {
      const seen = await waitFor(`${count} events`, () => events.length >= count && events);
      const problems = seen.flatMap(({ data }) => problemsOf(messageAnswer, JSON.parse(data)));
      if (problems.length > 0) throw new Error(`An event is no message: ${problems.join('; ')}`);
      return seen;
    },
    end: () => ended,
    waitForEnd: () => waitFor('the end of the stream', () => ended),
    pause: () => void incoming.pause(),
    goOn: () => void incoming.resume(),
    close: () => void incoming.destroy(),
  };
}
