/** A program for Node that gets a token with these and publishes, by the client library: it makes the proofs of RFC 9449 itself. */
export const tokenSnippet = ({ url, id, secret }: { url: string; id: string; secret: string }): string =>
  `import { Posthorn } from '@posthorn/client';

const posthorn = new Posthorn({
  baseUrl: '${url}',
  credentials: {
    clientId: '${id}',
    clientSecret: '${secret}',
  },
});
for await (const channel of posthorn.channels.list()) console.log(channel.name);
`;
