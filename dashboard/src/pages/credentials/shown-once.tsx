import { useState } from 'react';
import { API } from '../../lib/addresses.ts';
import { plainTokenSnippet, tokenSnippet } from '../../lib/token-snippet.ts';
import { Button } from '../../ui/button.tsx';
import { CodeLines } from '../../ui/code-lines.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Segmented } from '../../ui/tabs.tsx';
import type { Shown } from './kinds.ts';

/** What nobody can read again, and a first use of it. Only its button closes it: Escape alone would lose the secret. */
export function ShownOnce({ shown, onClose }: { shown: Shown; onClose: () => void }) {
  const isKey = shown.kind === 'api-keys';
  return (
    <Dialog
      title={isKey ? 'Copy your key now' : 'Copy your client secret now'}
      size="wide"
      description="You won't be able to see it again."
      onClose={() => undefined}
      actions={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      {isKey ? (
        <>
          <CodeLines title="Key" text={shown.secret} />
          <CodeLines title="cURL" text={`curl ${API}/v1/channels \\\n  -H 'Authorization: Bearer ${shown.secret}'`} />
        </>
      ) : (
        <Client id={shown.id} secret={shown.secret} />
      )}
    </Dialog>
  );
}

/** A client gets its tokens by a program, not by one line. */
function Client({ id, secret }: { id: string; secret: string }) {
  const [by, setBy] = useState('node');
  return (
    <>
      <CodeLines title="Client ID" text={id} />
      <CodeLines title="Client secret" text={secret} />
      <div className="flex flex-wrap items-center gap-2">
        <p className="grow text-text-2">
          {by === 'node'
            ? 'Save as token.mjs and run node token.mjs (Node 20 or later).'
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
    </>
  );
}
