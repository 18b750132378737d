import { useState } from 'react';
import type { Attempt } from '../../api/client.ts';
import { type Difference, differences } from '../../lib/attempt-diff.ts';
import { durationText } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { Table } from '../../ui/table.tsx';

const PARTS: Readonly<Record<Difference['kind'], string>> = {
  outcome: 'Result',
  error: 'Error',
  status: 'Status code',
  body: 'Response body',
  answerHeader: 'Response header',
  url: 'URL',
  requestVersion: 'Request version',
  requestHeader: 'Request header',
};

/** Compares two attempts and shows only what differs. Initially the newest one and the one before it. */
export function CompareAttempts({ attempts, onClose }: { attempts: readonly Attempt[]; onClose: () => void }) {
  const [chosen, setChosen] = useState<{ before?: string; after?: string }>({});
  const find = (id: string | undefined): Attempt | undefined => attempts.find((each) => each.id === id);
  const after = find(chosen.after) ?? attempts[0];
  const before = find(chosen.before) ?? attempts[1];
  if (after === undefined || before === undefined) return null;
  const rows = differences(before, after);
  const options = attempts.map(({ id, number }) => ({ value: id, label: `Attempt ${number}` }));
  return (
    <Dialog title="Compare attempts" size="wide" onClose={onClose} actions={<Button onClick={onClose}>Close</Button>}>
      <div className="flex flex-wrap items-center gap-2">
        <Select
          label="First attempt"
          look="button"
          options={options}
          value={before.id}
          onChange={(id) => setChosen({ ...chosen, before: id })}
        />
        with
        <Select
          label="Second attempt"
          look="button"
          options={options}
          value={after.id}
          onChange={(id) => setChosen({ ...chosen, after: id })}
        />
        <span className="text-text-2">
          {durationText(before.durationMs)} and {durationText(after.durationMs)}. Showing differences only.
        </span>
      </div>
      {rows.length === 0 ? (
        <p>No other differences</p>
      ) : (
        <Table
          label="Differences"
          keyOf={({ kind, name = '' }) => `${kind} ${name}`}
          rows={rows}
          columns={[
            {
              head: 'Part',
              width: '160px',
              className: 'whitespace-normal',
              cell: ({ kind, name }) => (
                <>
                  {PARTS[kind]} {name !== undefined && <code>{name}</code>}
                </>
              ),
            },
            {
              head: `Attempt ${before.number}`,
              className: 'whitespace-normal [overflow-wrap:anywhere]',
              cell: (row) => <code>{row.before ?? '—'}</code>,
            },
            {
              head: `Attempt ${after.number}`,
              className: 'whitespace-normal [overflow-wrap:anywhere]',
              cell: (row) => <code>{row.after ?? '—'}</code>,
            },
          ]}
        />
      )}
    </Dialog>
  );
}
