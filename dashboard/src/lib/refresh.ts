import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useHere } from './session.ts';

/** Reads anew whatever a page shows of its place, after something there was changed. */
export function useRefresh(): () => Promise<void> {
  const { path } = useHere();
  const client = useQueryClient();
  return useCallback(() => client.invalidateQueries({ queryKey: [path] }), [client, path]);
}
