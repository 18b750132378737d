import { type ReactNode, useEffect } from 'react';
import { BASE } from '../lib/addresses.ts';
import { Button } from '../ui/button.tsx';

/** A page without the navigation: one card with the logo. For visitors who are not signed in, unknown addresses and first steps. */
export function Alone({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Posthorn`;
  }, [title]);
  return (
    <main className="grid min-h-full place-items-center bg-ground p-4">
      <div className="w-full max-w-90 rounded-12 border border-line-strong bg-surface p-6 shadow-1">
        <p className="flex items-center gap-2">
          <img src={`${BASE}/mark.svg`} alt="" className="size-6" />
          <span className="text-15 font-bold tracking-tight">Posthorn</span>
        </p>
        <h1 className="mt-5 text-20 font-bold tracking-tight [overflow-wrap:anywhere]">{title}</h1>
        {note !== undefined && <div className="mt-1 text-text-2 [overflow-wrap:anywhere]">{note}</div>}
        <div className="mt-5 flex flex-col gap-4">{children}</div>
      </div>
    </main>
  );
}

/** The fields of a card and its full-width submit button. */
export function AloneForm({ go, onSubmit, children }: { go: string; onSubmit: () => void; children: ReactNode }) {
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      <Button look="primary" type="submit" className="w-full">
        {go}
      </Button>
    </form>
  );
}
