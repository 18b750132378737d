import { useContext } from 'react';
import type { Written } from '../api/requests.ts';
import { HereContext } from '../lib/session.ts';
import { commandLine, curlLine } from '../lib/shell-lines.ts';
import { Button } from '../ui/button.tsx';
import { CodeLines } from '../ui/code-lines.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** Shows the requests of an action as shell commands, and as Posthorn commands if there are any. Sends nothing. */
export function EquivalentRequest({ of, onClose }: { of: readonly Written[]; onClose: () => void }) {
  return (
    <Dialog title="Equivalent request" size="wide" onClose={onClose} actions={<Button onClick={onClose}>Close</Button>}>
      <RequestLines of={of} />
    </Dialog>
  );
}

export function RequestLines({ of }: { of: readonly Written[] }) {
  const here = useContext(HereContext);
  const curls = of.map(curlLine);
  const commands = of.flatMap((each) => commandLine(each, here?.at.place) ?? []);
  return (
    <>
      {curls.every((line) => line !== undefined) ? (
        <CodeLines text={curls.join('\n')} title="cURL" note="Set POSTHORN_KEY to an API key" />
      ) : (
        <p className="text-text-2">Not available with an API key</p>
      )}
      {commands.length > 0 && <CodeLines text={commands.join('\n')} title="Posthorn CLI" />}
    </>
  );
}
