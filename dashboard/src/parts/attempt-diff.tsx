import { useId, useState } from 'react';
import type { Attempt } from '../api/client.ts';
import { differences } from '../lib/attempt-diff.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/units.ts';

/** Two tries beside each other: only what differs. At first the newest one and the one before it. */
export function AttemptDiff({ attempts }: { attempts: readonly Attempt[] }) {
  const t = useTexts();
  const heading = useId();
  const [chosen, setChosen] = useState<{ before?: string; after?: string }>({});
  const find = (id: string | undefined): Attempt | undefined => attempts.find((each) => each.id === id);
  const after = find(chosen.after) ?? attempts[0];
  const before = find(chosen.before) ?? attempts[1];
  if (after === undefined || before === undefined) return null;
  const rows = differences(before, after);
  const choice = (which: 'before' | 'after', label: string, { id }: Attempt) => (
    <label>
      {label}{' '}
      <select className="input" value={id} onChange={(event) => setChosen({ ...chosen, [which]: event.target.value })}>
        {attempts.map((each) => (
          <option key={each.id} value={each.id}>
            {t.deliveries.number(each.number)}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <details className="box attempt">
      <summary id={heading}>{t.deliveries.compare}</summary>
      <div className="stack">
        <div className="filters">
          {choice('before', t.deliveries.compareFrom, before)}
          {choice('after', t.deliveries.compareTo, after)}
        </div>
        <p className="muted">
          {t.deliveries.lengths(durationText(before.durationMs, t.units), durationText(after.durationMs, t.units))}
        </p>
        {rows.length === 0 ? (
          <p>{t.deliveries.same}</p>
        ) : (
          // A table that is wider than its place is scrolled by the keyboard too.
          <div className="diagram" tabIndex={0} role="region" aria-labelledby={heading}>
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">{t.deliveries.part}</th>
                  <th scope="col">{t.deliveries.number(before.number)}</th>
                  <th scope="col">{t.deliveries.number(after.number)}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map(({ kind, name, before: was, after: is }) => (
                  <tr key={`${kind} ${name}`}>
                    <th scope="row">
                      {t.deliveries.parts[kind]} {name !== undefined && <span className="mono">{name}</span>}
                    </th>
                    <td className="mono">{was === undefined ? '' : <del>{was}</del>}</td>
                    <td className="mono">{is === undefined ? '' : <ins>{is}</ins>}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </div>
    </details>
  );
}
