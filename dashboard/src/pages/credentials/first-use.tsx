import { useState } from 'react';
import type { Scope } from '../../api/client.ts';
import { API } from '../../lib/addresses.ts';
import { curlOf, exampleOf, type ScopeExample } from '../../lib/scope-example.ts';
import { onlyChannelOf } from '../../lib/system-channel.ts';
import { plainTokenSnippet, tokenSnippet } from '../../lib/token-snippet.ts';
import { useChannels } from '../../parts/use-names.ts';
import { CodeLines } from '../../ui/code-lines.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Segmented } from '../../ui/tabs.tsx';
import type { Kind } from './kinds.ts';

/**
 * How a program uses a credential: the first request that its scopes allow. `secret`: the secret, which is shown only
 * now, or a placeholder.
 */
export function FirstUse({
  kind,
  id,
  scopes,
  secret,
}: {
  kind: Kind;
  id: string;
  scopes: readonly Scope[];
  secret?: string;
}) {
  const channels = useChannels();
  // Wait for the channel, so that a program that is copied early does not lack it.
  if (channels.isPending) return <Skeleton />;
  const only = onlyChannelOf(channels.all);
  const example = exampleOf(scopes, only === '' ? undefined : only);
  if (kind === 'machine-credentials')
    return <Token id={id} secret={secret ?? '<your client secret>'} example={example} />;
  const header = `Authorization: Bearer ${secret ?? '<your API key>'}`;
  return example === undefined ? (
    <CodeLines title="Header" text={header} />
  ) : (
    <CodeLines title="cURL" text={curlOf(example, { url: API, header })} />
  );
}

/** A client needs a program to get its tokens; one line is not enough. */
function Token({ id, secret, example }: { id: string; secret: string; example: ScopeExample | undefined }) {
  const [by, setBy] = useState('node');
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-60 flex-1 text-text-2">
          {by === 'node'
            ? 'Save as token.mjs and run node token.mjs (Node 20 or later). The program creates the key of its proofs (DPoP) itself.'
            : 'Install the library: npm pack ./client in the Posthorn repository, then npm install the file.'}
        </p>
        <Segmented
          label="Example"
          value={by}
          onChange={setBy}
          options={[
            { value: 'node', label: 'Node.js' },
            { value: 'library', label: 'Client library' },
          ]}
        />
      </div>
      <CodeLines
        title={by === 'node' ? 'Node.js' : 'Client library'}
        text={(by === 'node' ? plainTokenSnippet : tokenSnippet)({ url: API, id, secret, example })}
      />
    </div>
  );
}
