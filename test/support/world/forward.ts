import { type IncomingMessage, request, type ServerResponse } from 'node:http';

/** Forwards a request to the server at `url`, and its response back, like a proxy in front of an installation. */
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
