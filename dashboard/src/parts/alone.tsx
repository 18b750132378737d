import type { ReactNode } from 'react';
import { BASE } from '../lib/addresses.ts';
import { Heading } from './heading.tsx';

/** A page for somebody who is not signed in: one form, and nothing beside it. */
export const Alone = ({ title, children }: { title: string; children: ReactNode }) => (
  <main className="v1 alone">
    <div className="brand">
      <img src={`${BASE}/mark.svg`} alt="" /> Posthorn
    </div>
    <Heading title={title} />
    {children}
  </main>
);
