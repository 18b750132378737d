import clsx from 'clsx';
import type { ReactNode } from 'react';

export type TableColumn<T> = {
  head: ReactNode;
  cell: (row: T) => ReactNode;
  isNumber?: boolean;
  /** Width of the column, as a CSS value. */
  width?: string;
  /** Hidden on a narrow screen. */
  isWide?: boolean;
  className?: string;
};

/** A short table within a page. Long lists that scroll use `DataList`. */
export function Table<T>({
  columns,
  rows,
  keyOf,
  label,
  onOpen,
  empty,
}: {
  columns: readonly TableColumn<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
  label: string;
  /** A click on a row does the same as the link in its first cell. */
  onOpen?: (row: T) => void;
  /** Shown instead of rows. */
  empty?: ReactNode;
}) {
  return (
    // Texts for screen readers are positioned absolutely: without a containing block they would make the page wider.
    <div className="relative min-w-0 overflow-x-auto rounded-8 border border-line-strong">
      <table aria-label={label} className="w-full table-fixed border-collapse">
        <thead>
          <tr className="h-8 bg-sunken text-left text-12 text-text-3">
            {columns.map(({ head, isNumber = false, width, isWide = false }, at) => (
              <th
                key={at}
                scope="col"
                style={width === undefined ? undefined : { width }}
                className={clsx(
                  'truncate border-b border-line px-2.5 font-normal first:pl-3.5 last:pr-3.5',
                  isNumber && 'text-right',
                  isWide && 'max-md:hidden',
                )}
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className={clsx(
                'h-row border-line not-last:border-b',
                onOpen !== undefined && 'cursor-pointer hover:bg-hover',
              )}
              {...(onOpen !== undefined && {
                onClick: (event) => {
                  // A row's menu is rendered elsewhere in the page, but its clicks still bubble to the row in React.
                  const { currentTarget: own, target } = event;
                  if (!(target instanceof Element) || !own.contains(target)) return;
                  if (target.closest('a, button, input, label') === null) onOpen(row);
                },
              })}
            >
              {columns.map(({ cell, isNumber = false, isWide = false, className }, at) => (
                <td
                  key={at}
                  className={clsx(
                    'truncate px-2.5 py-1 tabular-nums first:pl-3.5 last:pr-3.5',
                    isNumber && 'text-right',
                    isWide && 'max-md:hidden',
                    className,
                  )}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && empty !== undefined && <div className="px-3.5 py-3 text-text-2">{empty}</div>}
    </div>
  );
}
