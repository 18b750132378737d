import type { ReactNode } from 'react';
import { useAddress } from '../lib/search.ts';
import { TabList } from './tab-list.tsx';

/** Beginning of the ids of the tabs of a page, which has one row of them. */
const ID = 'page-tab';

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
  return <TabList tabs={tabs} names={names} current={current} onChoose={(tab) => change({ tab, open: '' })} id={ID} />;
}

/** The part of a page that its tab shows. `isAlone`: beside a list there are no tabs, and it is no part. */
export const TabPanel = ({
  tab,
  isAlone = false,
  children,
}: {
  tab: string;
  isAlone?: boolean;
  children: ReactNode;
}) =>
  isAlone ? (
    children
  ) : (
    <div role="tabpanel" id={`${ID}-panel`} aria-labelledby={`${ID}-${tab}`} className="tab-panel">
      {children}
    </div>
  );
