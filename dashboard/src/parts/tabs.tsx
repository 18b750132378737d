import { useAddress } from '../lib/search.ts';

/** The tab that the address names, else the first one. */
export function useTab<T extends string>(tabs: readonly [T, ...T[]]): T {
  const [search] = useAddress();
  return tabs.find((each) => each === search['tab']) ?? tabs[0];
}

/** Parts of a page of which one is shown. A row that is open beside a list belongs to the part before, and closes. */
export function Tabs<T extends string>({
  tabs,
  names,
  current,
}: {
  tabs: readonly T[];
  names: Readonly<Record<T, string>>;
  current: T;
}) {
  const [, change] = useAddress();
  return (
    <div className="tabs" role="tablist">
      {tabs.map((tab) => (
        <button
          key={tab}
          type="button"
          role="tab"
          aria-selected={tab === current}
          onClick={() => change({ tab, open: '' })}
        >
          {names[tab]}
        </button>
      ))}
    </div>
  );
}
