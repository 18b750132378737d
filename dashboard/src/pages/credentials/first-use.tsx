import { useState } from 'react';
import { API } from '../../lib/addresses.ts';
import { plainTokenSnippet, tokenSnippet } from '../../lib/token-snippet.ts';
import { CodeLines } from '../../ui/code-lines.tsx';
import { Segmented } from '../../ui/tabs.tsx';
import type { Kind } from './kinds.ts';

/** How a program uses a credential. `secret`: the one that is shown only now, else a word in its place. */
export function FirstUse({ kind, id, secret }: { kind: Kind; id: string; secret?: string }) {
  return kind === 'api-keys' ? (
    <CodeLines
      title="cURL"
      text={`curl ${API}/v1/channels \\\n  -H 'Authorization: Bearer ${secret ?? '<your API key>'}'`}
    />
  ) : (
    <Token id={id} secret={secret ?? '<your client secret>'} />
  );
}

/** A client gets its tokens by a program, not by one line. */
function Token({ id, secret }: { id: string; secret: string }) {
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
        text={(by === 'node' ? plainTokenSnippet : tokenSnippet)({ url: API, id, secret })}
      />
    </div>
  );
}
