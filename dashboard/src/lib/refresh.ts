import { useQueryClient } from '@tanstack/react-query';
import { useHere } from './session.ts';

/** Reads anew whatever a page shows of its place, after something there was changed. */
export function useRefresh(): () => Promise<void> {
  const { path } = useHere();
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: [path] });
}
