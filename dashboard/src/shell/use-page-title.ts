import { useEffect } from 'react';
import { useHere } from '../lib/session.ts';

/** The title of the browser tab, for a page or a drawer that acts as one: `[Test] Create channel · Storefront`. */
export function usePageTitle(title: string): void {
  const { app, environment } = useHere();
  const prefix = environment === 'test' ? '[Test] ' : '';
  useEffect(() => {
    document.title = `${prefix}${title} · ${app.name}`;
  }, [title, prefix, app.name]);
}
