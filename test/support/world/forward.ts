import { type IncomingMessage, request, type ServerResponse } from 'node:http';

/** Hands a request on to the server at `url`, and its answer back, as a proxy in front of an installation does. */
export function forward(url: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, headers } = incoming;
  const onward = request(url + (incoming.url ?? ''), { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  outgoing.on('close', () => onward.destroy());
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
}
